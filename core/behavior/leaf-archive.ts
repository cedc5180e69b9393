import type { LeafList } from './leaf-list.ts';

/**
 * Somebody who keeps leaf lists and receipts for others: an aggregator. Whatever it says has to be checked. Every call
 * rejects when it cannot be reached.
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
