interface Expiring {
  /** Absolute Unix milliseconds. */
  readonly expires: number;
}

/**
 * What expires next. Items that were replaced stay in the heap until they come up or make up half of it, so a
 * document renewed every second does not pile up.
 */
export class ExpiryHeap<T extends Expiring> {
  #heap: T[] = [];
  readonly #isLive: (item: T) => boolean;
  #rebuildAt = 1024;

  constructor(isLive: (item: T) => boolean) {
    this.#isLive = isLive;
  }

  push(item: T): void {
    this.#heap.push(item);
    if (this.#heap.length >= this.#rebuildAt) this.#rebuild();
    else this.#rise(this.#heap.length - 1);
  }

  /** Takes out one live item that has expired by `now`. */
  pop(now: number): T | undefined {
    for (let top = this.#heap[0]; top && top.expires <= now; top = this.#heap[0]) {
      const last = this.#heap.pop()!;
      if (this.#heap.length > 0) {
        this.#heap[0] = last;
        this.#sink(0);
      }
      if (this.#isLive(top)) return top;
    }
    return undefined;
  }

  #rebuild(): void {
    this.#heap = this.#heap.filter(this.#isLive);
    for (let i = this.#heap.length >> 1; i >= 0; i--) this.#sink(i);
    this.#rebuildAt = Math.max(1024, this.#heap.length * 2);
  }

  #rise(from: number): void {
    const heap = this.#heap;
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.expires <= heap[at]!.expires) return;
      [heap[parent], heap[at]] = [heap[at]!, heap[parent]!];
      at = parent;
    }
  }

  #sink(from: number): void {
    const heap = this.#heap;
    for (let at = from; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && heap[child]!.expires < heap[least]!.expires) least = child;
      }
      if (least === at) return;
      [heap[least], heap[at]] = [heap[at]!, heap[least]!];
      at = least;
    }
  }
}
