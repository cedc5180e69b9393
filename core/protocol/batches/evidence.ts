import { equalBytes, fromHex } from '../../platform/bytes.ts';
import { type LeafList, leafOf } from './leaf-list.ts';
import { merklePath } from './merkle.ts';

/** The result of comparing a signed header with the batch that was submitted for its epoch. */
export type Finding =
  /** The batch holds the envelope at the header's sequence number. */
  | { readonly kind: 'contained' }
  /** Its sequence number is not among those of the batch: showing it convicts at once. */
  | { readonly kind: 'outside' }
  /**
   * The root holds another leaf at its sequence number: nobody can answer an accusation, and these siblings convict
   * at once.
   */
  | { readonly kind: 'replaced'; readonly leaf: Uint8Array; readonly siblings: readonly Uint8Array[] }
  /** Only a list of the leaves could tell. */
  | { readonly kind: 'unknown' };

/** Compares an envelope id with a batch on the ledger. A list counts only when it leads to the batch's root. Pure. */
export function examine(
  header: { readonly seq: number; readonly id: Uint8Array },
  batch: { readonly count: number; readonly root: string },
  list: LeafList | undefined,
): Finding {
  const { seq, id } = header;
  if (seq < 1 || seq > batch.count) return { kind: 'outside' };
  if (!list || list.count !== batch.count || !equalBytes(list.root, fromHex(batch.root, 32)!))
    return { kind: 'unknown' };
  const leaf = leafOf(list.leaves, seq)!;
  if (equalBytes(leaf, id)) return { kind: 'contained' };
  return { kind: 'replaced', leaf, siblings: merklePath(list.leaves, seq - 1) };
}
