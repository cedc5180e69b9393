/** What the faces of the aggregator use of each other and of core, as tokens. */
import { token } from '../plugin.ts';
import type { Ingest as IngestPort } from './ingest/ingest.ts';

/** Where envelopes and receipts from any source enter the aggregator; the mesh gives its broadcasts to it too. */
export type Ingest = IngestPort;
export const Ingest = token<Ingest>('aggregator/ingest');
