import { toHex } from '../../platform/bytes.ts';
import { parseAgentId } from '../identity/ids.ts';
import type { Network } from '../identity/network.ts';
import { type LeafList, verifyLeafList } from './leaf-list.ts';

/**
 * A keeper of leaf lists and receipts for others: an aggregator. Its answers have to be checked. Every call rejects
 * when it cannot be reached.
 */
export interface LeafArchive {
  /** Its URL. */
  readonly name: string;
  /** Hands a list over; resolves with true when it is kept, with false by one that keeps no lists. Again is harmless. */
  store(key: string, list: LeafList): Promise<boolean>;
  /** The list of a batch, if it has one. */
  list(key: string, epoch: number): Promise<LeafList | undefined>;
  /** Receipts, or whole envelopes, that it holds of a key and epoch, in the order of their numbers; wire bytes. */
  held(key: string, epoch: number): AsyncIterable<Uint8Array>;
}

/**
 * The list of this root, from the first archive whose list proves true. Archives that do not answer are passed over.
 */
export async function findList(
  archives: readonly LeafArchive[],
  { key, epoch, root }: { readonly key: string; readonly epoch: number; readonly root: string },
  network: Network,
): Promise<LeafList | undefined> {
  for (const archive of archives) {
    const list = await archive.list(key, epoch).catch(() => undefined);
    if (list && toHex(list.root) === root && verifyLeafList(list, parseAgentId(key)!, network)) return list;
  }
  return undefined;
}
