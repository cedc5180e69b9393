import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';

/** Milliseconds for which a recipient that was not reached, and whose letters somebody else takes, is not dialled for each new one. */
const UNDISTURBED = 60_000;
const MOST = 10_000;

/** Recipients that were tried in vain a moment ago while somebody else took their letters. Kept in memory. */
export class Sleepers {
  readonly #clock: Clock;
  /** When each is tried again. */
  readonly #until = new BoundedMap<string, number>(MOST);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Until when it is left alone; undefined when it is to be tried. */
  until(recipient: string): number | undefined {
    const until = this.#until.get(recipient);
    if (until === undefined || until > this.#clock.now()) return until;
    this.#until.delete(recipient);
    return undefined;
  }

  found(recipient: string): void {
    this.#until.set(recipient, this.#clock.now() + UNDISTURBED);
  }

  woke(recipient: string): void {
    this.#until.delete(recipient);
  }
}
