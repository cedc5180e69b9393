/** What the faces of the aggregator use of each other and of core, as tokens. */
import type { Network as NetworkValue } from '../identity/network.ts';
import type { Verifier as VerifierPort } from '../identity/verifier.ts';
import { token } from '../plugin.ts';
import type { Space } from '../storage/space.ts';
import type { Ingest as IngestPort } from './ingest/ingest.ts';

/** Which mesh this is: what envelopes must be signed for. */
export type Network = NetworkValue;
export const Network = token<Network>('network');

/** The one verifier of the process, so that its back-pressure holds for all who verify. */
export type Verifier = VerifierPort;
export const Verifier = token<Verifier>('verifier');

/** The part of the store that all faces of the aggregator share. */
export const SPACE = 'aggregator';
export type { Space };

/** Where envelopes and receipts from any source enter the aggregator; the mesh gives its broadcasts to it too. */
export type Ingest = IngestPort;
export const Ingest = token<Ingest>('aggregator/ingest');
