import type { SchemaTypes } from '../../../schemas/types.ts';
import { fromBase64 } from '../../bytes.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

export type StoredNonce = SchemaTypes['stored-nonce'];
export type HeldEnvelope = StoredNonce['held'][number];

/**
 * How many epochs a nonce is remembered. Longer than any envelope is accepted (4 epochs), so nothing counts twice, and
 * as long as a behavior batch can be challenged with what its signer sent.
 */
export const NONCE_EPOCHS = 16;

/** Everything a key signed, one document per nonce: what makes reports idempotent and shows a nonce used twice. */
export const nonces = collection<StoredNonce, 'signed'>('nonces', {
  schema: 'stored-nonce',
  indexes: { signed: ({ key, nonce }) => [key, nonce] },
});

/** The newest header and signature held of a key (in base58). */
export async function newestOf(space: Space, key: string): Promise<Uint8Array | undefined> {
  const [newest] = await space.page(nonces, { index: 'signed', prefix: [key], reverse: true, limit: 1 });
  const receipt = newest?.value.held[0]?.receipt_b64;
  return receipt === undefined ? undefined : fromBase64(receipt);
}
