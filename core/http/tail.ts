import { CONSUMER_TOO_SLOW, StreamEnd } from './frame.ts';

/**
 * A bounded queue between something that happens and one client who watches. Iterate it in a stream's handler; when
 * the client falls `capacity` items behind, the iteration ends the stream with 4008.
 */
export class Tail<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  readonly #capacity: number;
  #wake: (() => void) | undefined;
  #ended = false;
  #overflowed = false;

  constructor(signal: AbortSignal, capacity = 1024) {
    this.#capacity = capacity;
    if (signal.aborted) this.#ended = true;
    else signal.addEventListener('abort', () => this.end(), { once: true });
  }

  push(item: T): void {
    if (this.#ended || this.#overflowed) return;
    if (this.#items.length >= this.#capacity) {
      this.#overflowed = true;
      this.#items.length = 0;
    } else this.#items.push(item);
    this.#wake?.();
  }

  /** Ends the iteration after what is queued. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      if (this.#overflowed) throw new StreamEnd(CONSUMER_TOO_SLOW, 'consumer_too_slow');
      const item = this.#items.shift();
      if (item !== undefined) yield item;
      else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}
