import { collection } from '../../storage/declarations.ts';

/**
 * The format in which this release keeps an aggregator's store. Format 1 had a document for each nonce and did not say so; format 2
 * had deals as they are; format 3 had no marked values, which an earlier release misreads where an adapter keeps their base64 as bytes; format 4
 * had flows as they are.
 */
export const STORE_FORMAT = 5;

const formats = collection<{ readonly number: number }>('format', { schema: () => [] });
export const formatRef = formats.ref('store');
