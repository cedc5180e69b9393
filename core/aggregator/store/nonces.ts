import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

export type StoredNonce = SchemaTypes['stored-nonce'];
export type HeldEnvelope = StoredNonce['held'][number];

/**
 * How many epochs a nonce is remembered. Longer than any envelope is accepted (4 epochs), so nothing counts twice, and
 * as long as a behavior batch can be challenged with what its signer sent.
 */
export const NONCE_EPOCHS = 16;

/** Everything a key signed, one document per nonce: what makes reports idempotent and shows a nonce used twice. */
export const nonces = collection<StoredNonce>('nonces', { schema: 'stored-nonce', shared: true });
