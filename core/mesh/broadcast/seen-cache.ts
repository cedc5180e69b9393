import { binaryString } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import { RecentMap } from '../recent-map.ts';

/** The ids of broadcasts that were taken in lately. */
export class SeenCache {
  readonly #clock: Clock;
  readonly #lifetime: number;
  readonly #ids: RecentMap<number>;

  constructor(clock: Clock, limit: number, lifetime: number) {
    this.#clock = clock;
    this.#lifetime = lifetime;
    this.#ids = new RecentMap(limit);
  }

  get size(): number {
    return this.#ids.size;
  }

  add(id: Uint8Array): void {
    const now = this.#clock.now();
    this.#ids.forget((end) => end <= now);
    this.#ids.set(binaryString(id), now + this.#lifetime);
  }

  has(id: Uint8Array): boolean {
    return (this.#ids.get(binaryString(id)) ?? 0) > this.#clock.now();
  }
}
