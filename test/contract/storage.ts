export * from '../../core/testing/storage-contract.ts';
