/**
 * `agent-mesh/testing`: contract suites for those who write plugins and adapters. They bring no test runner: hand in
 * the functions of yours.
 */
export { type LedgerBench, ledgerContract } from '../core/testing/ledger-contract.ts';
export type { TestRunner } from '../core/testing/runner.ts';
export { type CreateStorage, type StorageUnderTest, storageContract } from '../core/testing/storage-contract.ts';
export { type TransportPair, transportContract } from '../core/testing/transport-contract.ts';
