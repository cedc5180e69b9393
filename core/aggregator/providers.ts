/** Tokens of the services that the aggregator's faces use: core's, and those they offer each other. */
import { internalToken } from '../platform/token.ts';
import type { Space } from '../storage/space.ts';
import type { Ingest as IngestValue } from './ingest/ingest.ts';
import type { Handing as HandingValue } from './writer/writer-provider.ts';

export { Blobs, Identity, Network, RecordedTransactions, Verifier } from '../internal-services.ts';

/** The part of the store that all faces of the aggregator share. */
export const SPACE = 'aggregator';
export type { Space };

/** Where envelopes and receipts from any source enter the aggregator; the mesh gives its broadcasts to it too. */
export type Ingest = IngestValue;
export const Ingest = internalToken<Ingest>('aggregator/ingest');

/** The way of verified items to the writer of the store. */
export type Handing = HandingValue;
export const Handing = internalToken<Handing>('writer');
