import { MeshError } from '../contracts/errors.ts';
import { networkOf } from '../platform/addresses.ts';
import { KeyedCounter } from '../platform/keyed-counter.ts';

/** How many sockets and event streams each address has open. */
export class Places {
  readonly #most: number;
  readonly #taken = new KeyedCounter();

  constructor(most: number) {
    this.#most = most;
  }

  /** Throws `rate_limited` when the address has as many as it may. */
  require(ip: string): void {
    if (this.#taken.of(networkOf(ip)) < this.#most) return;
    throw new MeshError('rate_limited', `At most ${this.#most} sockets may be open from one address.`);
  }

  /** One more; the returned function gives it back, and is called once. */
  take(ip: string): () => void {
    return this.#taken.take(networkOf(ip));
  }
}
