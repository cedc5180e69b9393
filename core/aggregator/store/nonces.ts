import type { SchemaTypes } from '../../../schemas/types.ts';
import { fromBase64 } from '../../platform/bytes.ts';
import { collection, type Ref } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

export type StoredNonce = SchemaTypes['stored-nonce'];
export type HeldEnvelope = StoredNonce['held'][number];

/**
 * How many epochs a nonce is remembered. Longer than any envelope is accepted (4 epochs), so nothing counts twice, and
 * as long as a behavior batch can be challenged with what its signer sent.
 */
export const NONCE_EPOCHS = 16;

/** Everything a key signed, one document per nonce: what makes reports idempotent and shows a nonce used twice. */
export const nonces = collection<StoredNonce>('nonces', { schema: 'stored-nonce', shared: true });

/** The document of a nonce that a key (in base58) signed. The ids of a key are in the order of its nonces. */
export function nonceRef(key: string, nonce: number): Ref<StoredNonce> {
  return nonces.ref(idOf(key, nonce));
}

function idOf(key: string, nonce: number): string {
  return `${key}/${String(nonce).padStart(16, '0')}`;
}

/** The nonces held of a key, from the first up to, not including, the last. */
export async function noncesOf(
  space: Space,
  key: string,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<{ readonly nonce: number; readonly held: StoredNonce['held'] }[]> {
  const rows = await space.page(nonces, { idFrom: idOf(key, from), idTo: idOf(key, to), limit });
  return rows.map(({ id, value: { held } }) => ({ nonce: Number(id.slice(key.length + 1)), held }));
}

/** The newest header and signature held of a key (in base58). */
export async function newestOf(space: Space, key: string): Promise<Uint8Array | undefined> {
  const [newest] = await space.page(nonces, { idPrefix: `${key}/`, reverse: true, limit: 1 });
  const receipt = newest?.value.held[0]?.receipt_b64;
  return receipt === undefined ? undefined : fromBase64(receipt);
}
