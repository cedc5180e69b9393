import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection, counter } from '../../storage/declarations.ts';

/** Blobs that agents uploaded, by content identifier. The bytes are files. */
export const uploaded = collection<SchemaTypes['stored-blob']>('uploaded-blobs', { schema: 'stored-blob' });

/** Holds on blobs, by agent and content identifier. */
export const holds = collection<SchemaTypes['stored-blob-hold'], 'expires'>('blob-holds', {
  schema: 'stored-blob-hold',
  indexes: { expires: ({ expires }) => [expires] },
});

/** The blobs that each agent keeps, by agent. */
export const usages = collection<SchemaTypes['stored-blob-usage']>('blob-usage', { schema: 'stored-blob-usage' });

/** The bytes of all uploaded blobs, each counted once. */
export const uploadedBytes = counter('uploaded-blob-bytes');
