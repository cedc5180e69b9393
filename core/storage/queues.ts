import type { QueueHead, QueueRef, Ref } from './declarations.ts';

/**
 * Queues made of documents: a head that says which items wait, and the items, numbered in the order they came. When
 * nothing waits there is no head either, so an idle queue costs nothing.
 */
export interface QueueTx {
  readonly now: number;
  pull<T>(refs: readonly Ref<T>[]): (T | undefined)[];
  put<T>(ref: Ref<T>, value: T): void;
  del(ref: Ref<any>): void;
}

const PURGE = 64;

export function push<T>(tx: QueueTx, queue: QueueRef<T>, item: T): boolean {
  const head = headOf(tx, queue);
  if (head.next - head.first >= queue.of.cap) {
    if (queue.of.overflow === 'drop-oldest') remove(tx, queue, head, head.first + 1);
    else if (!removeExpired(tx, queue, head)) return false;
  }
  tx.put(itemRef(queue, head.next), item);
  head.next++;
  save(tx, queue, head);
  return true;
}

export function drain<T>(tx: QueueTx, queue: QueueRef<T>, limit = queue.of.cap): T[] {
  const head = headOf(tx, queue);
  const end = Math.min(head.next, head.first + limit);
  const items = waiting(tx, queue, head.first, end);
  if (end > head.first) {
    remove(tx, queue, head, end);
    save(tx, queue, head);
  }
  return items;
}

export function reserve<T>(tx: QueueTx, queue: QueueRef<T>, token: string, ms: number, limit = queue.of.cap): T[] {
  const head = headOf(tx, queue);
  if (head.lease && head.lease.until > tx.now) return [];
  const end = Math.min(head.next, head.first + limit);
  const items = waiting(tx, queue, head.first, end);
  if (items.length > 0) {
    head.lease = { token, upTo: end, until: tx.now + ms };
    save(tx, queue, head);
  }
  return items;
}

export function ack(tx: QueueTx, queue: QueueRef<any>, token: string): boolean {
  const head = headOf(tx, queue);
  if (head.lease?.token !== token) return false;
  remove(tx, queue, head, head.lease.upTo);
  save(tx, queue, head);
  return true;
}

function headOf(tx: QueueTx, queue: QueueRef<any>): QueueHead {
  return tx.pull([queue.of.heads.ref(queue.id)])[0] ?? { first: 1, next: 1 };
}

function save(tx: QueueTx, queue: QueueRef<any>, head: QueueHead): void {
  const ref = queue.of.heads.ref(queue.id);
  if (head.first === head.next) tx.del(ref);
  else tx.put(ref, head);
}

/** Removes the items before `end`; a reservation of only those is over. */
function remove(tx: QueueTx, queue: QueueRef<any>, head: QueueHead, end: number): void {
  for (; head.first < end; head.first++) tx.del(itemRef(queue, head.first));
  if (head.lease && head.lease.upTo <= head.first) delete head.lease;
}

/** Makes room by taking out items that have expired unseen; false when the oldest is still good. */
function removeExpired(tx: QueueTx, queue: QueueRef<any>, head: QueueHead): boolean {
  if (queue.of.ttl === undefined) return false;
  const end = Math.min(head.next, head.first + PURGE);
  const refs = Array.from({ length: end - head.first }, (_, i) => itemRef(queue, head.first + i));
  const live = tx.pull(refs).findIndex((item) => item !== undefined);
  if (live === 0) return false;
  remove(tx, queue, head, live < 0 ? end : head.first + live);
  return true;
}

function waiting<T>(tx: QueueTx, queue: QueueRef<T>, first: number, end: number): T[] {
  const refs = Array.from({ length: end - first }, (_, i) => itemRef(queue, first + i));
  return tx.pull(refs).filter((item): item is Awaited<T> & T => item !== undefined);
}

function itemRef<T>(queue: QueueRef<T>, number: number): Ref<T> {
  return queue.of.items.ref(`${number}:${queue.id}`);
}
