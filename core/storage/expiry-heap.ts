/** An item of the heap; `place` belongs to the heap. */
export interface Expiring {
  /** Absolute Unix milliseconds; Infinity for what never expires and is not in the heap. */
  readonly expires: number;
  place: number;
}

/** The place of what is not in the heap. */
export const NOWHERE = -1;

/** Items in the order of their expiry. The heap holds live items only, so it never has to be cleared up all at once. */
export class ExpiryHeap<T extends Expiring> {
  readonly #heap: T[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** The one that expires next. */
  get first(): T | undefined {
    return this.#heap[0];
  }

  add(item: T): void {
    if (item.expires === Number.POSITIVE_INFINITY) return;
    item.place = this.#heap.push(item) - 1;
    this.#rise(item.place);
  }

  /** Takes out an item that may be in it. */
  remove(item: T): void {
    const { place } = item;
    if (place === NOWHERE) return;
    item.place = NOWHERE;
    const last = this.#heap.pop()!;
    if (last === item) return;
    this.#put(last, place);
    this.#rise(place);
    this.#sink(last.place);
  }

  /** Takes out one item that has expired by `now`. */
  pop(now: number): T | undefined {
    const top = this.#heap[0];
    if (!top || top.expires > now) return undefined;
    this.remove(top);
    return top;
  }

  #put(item: T, place: number): void {
    this.#heap[place] = item;
    item.place = place;
  }

  #rise(from: number): void {
    const item = this.#heap[from]!;
    let at = from;
    while (at > 0) {
      const parent = this.#heap[(at - 1) >> 1]!;
      if (parent.expires <= item.expires) break;
      this.#put(parent, at);
      at = (at - 1) >> 1;
    }
    this.#put(item, at);
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const item = heap[from]!;
    let at = from;
    for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1]!.expires < heap[child]!.expires) child++;
      if (heap[child]!.expires >= item.expires) break;
      this.#put(heap[child]!, at);
      at = child;
    }
    this.#put(item, at);
  }
}
