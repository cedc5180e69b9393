import { collection } from '../../storage/declarations.ts';

/**
 * The format in which this release keeps an aggregator's store. Format 1 had a document for each nonce and did not say so; format 2
 * had deals as they are.
 */
export const STORE_FORMAT = 3;

const formats = collection<{ readonly number: number }>('format', { schema: () => [] });
export const formatRef = formats.ref('store');
