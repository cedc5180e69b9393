import type { SchemaTypes } from '../../../schemas/types.ts';
import { epochOfNonce, nonceOf, seqOfNonce } from '../../protocol/envelopes/epochs.ts';
import { proofBytesOf } from '../../protocol/envelopes/receipt.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import { BASE64_MARK } from '../../storage/adapter.ts';
import { collection, type Ref } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import { type Held, headerOf, seqOf } from './held.ts';

export type StoredNonces = SchemaTypes['stored-nonces'];

/**
 * For how many epochs the nonces of an epoch are remembered. Longer than any envelope is accepted (4 epochs), so nothing
 * counts twice, and as long as a behavior batch can be challenged with what its signer sent.
 */
export const NONCE_EPOCHS = 16;

/** Nonces that lie together. More would make each write longer, fewer would make the names take more than they name. */
const TOGETHER = 4;
const PAGE = 500;

/**
 * Everything a key signed, with header and signature: it makes reports idempotent and shows a nonce used twice. The
 * nonces of an epoch lie together, those of a key in it too, in their order; they are forgotten by epoch.
 */
export const nonces = collection<StoredNonces>('nonce-blocks', {
  schema: 'stored-nonces',
  shared: true,
  form: {
    pack: ({ held }) => [BASE64_MARK, ...held],
    unpack: (stored) => (Array.isArray(stored) ? { held: stored.slice(1) } : (stored as StoredNonces)),
  },
});

/** The document of a nonce that a key (in base58) signed. */
export function noncesRef(key: string, nonce: number): Ref<StoredNonces> {
  return nonces.ref(blockId(epochOfNonce(nonce), key, seqOfNonce(nonce)));
}

/** The document of one envelope of version 1, where nonces start again with every process. */
export function envelopeRef(epoch: number, envelopeId: string): Ref<StoredNonces> {
  return nonces.ref(`${epochText(epoch)}/${envelopeId}`);
}

/** An envelope that is held of a key. */
export interface HeldEnvelope {
  readonly nonce: number;
  readonly held: Held;
}

/** The envelopes held of a key in an epoch behind the number `after`: those of at most `limit` nonces, in their order. */
export async function heldOf(
  space: Space,
  key: string,
  { epoch, after, limit }: { readonly epoch: number; readonly after: number; readonly limit: number },
): Promise<HeldEnvelope[]> {
  const [idFrom, idTo] = [blockId(epoch, key, after + 1), `${epochText(epoch)}/${key}0`];
  const blocks = await space.page(nonces, { idFrom, idTo, limit: limit + 1 });
  const all = blocks.flatMap(({ value }) => value.held).map((held) => ({ seq: seqOf(held), held }));
  const behind = all.filter(({ seq }) => seq > after);
  const numbers = [...new Set(behind.map(({ seq }) => seq))].slice(0, limit);
  const last = numbers.at(-1) ?? 0;
  return behind.filter(({ seq }) => seq <= last).map(({ seq, held }) => ({ nonce: nonceIn(epoch, seq), held }));
}

/** The newest envelope held of a key among the nonces of the epochs from one to another, if any. */
export async function newestHeld(
  space: Space,
  key: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<HeldEnvelope | undefined> {
  const epochs = Array.from({ length: Math.max(0, to - from + 1) }, (_, back) => to - back);
  const pages = await Promise.all(
    epochs.map((epoch) => space.page(nonces, { idPrefix: `${epochText(epoch)}/${key}/`, reverse: true, limit: 1 })),
  );
  const at = pages.findIndex(({ length }) => length > 0);
  const held = pages[at]?.[0]?.value.held.at(-1);
  return held === undefined ? undefined : { nonce: nonceIn(epochs[at]!, seqOf(held)), held };
}

/** Header and signature, which prove it; undefined on networks of version 1, whose headers prove nothing alone. */
export function receiptOf(key: string, { nonce, held }: HeldEnvelope): Uint8Array | undefined {
  const header = headerOf(held, { sender: parseAgentId(key)!, nonce });
  return header && proofBytesOf(header);
}

/** Forgets the nonces of epochs that are over for so long that nobody may ask for them. */
export async function forgetNonces(space: Space, epoch: number, signal: AbortSignal): Promise<void> {
  const idTo = epochText(Math.max(0, epoch - NONCE_EPOCHS));
  while (!signal.aborted) {
    const old = await space.page(nonces, { idFrom: '', idTo, limit: PAGE, once: true });
    if (old.length > 0)
      await space.tx([], (tx) => {
        for (const { id } of old) tx.del(nonces.ref(id));
      });
    if (old.length < PAGE) return;
  }
}

function blockId(epoch: number, key: string, seq: number): string {
  return `${epochText(epoch)}/${key}/${Math.floor(seq / TOGETHER)
    .toString(36)
    .padStart(4, '0')}`;
}

/** Epochs in the order of their numbers, below 36^6. */
function epochText(epoch: number): string {
  return epoch.toString(36).padStart(6, '0');
}

/** Number 0 is never given out and convicts who signs it: it has a nonce all the same. */
function nonceIn(epoch: number, seq: number): number {
  return seq === 0 ? nonceOf(epoch, 1) - 1 : nonceOf(epoch, seq);
}
