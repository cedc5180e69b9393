import type { Clock } from '../../platform/clock.ts';

export interface MoveTurnsOptions {
  readonly clock: Clock;
  /** Agents that one BEACON shows. */
  readonly places: number;
  /** Milliseconds from one BEACON that is due to the next. */
  readonly period: number;
}

/**
 * The order in which BEACONs show agents that go on under other keys, or for them. Those that no BEACON has shown since they changed come first, by
 * age. Half of the other places belong to those whose clients ask again, the rest is shared by turns: so no client keeps others out by asking.
 */
export class MoveTurns<T extends WeakKey> {
  readonly #options: MoveTurnsOptions;
  readonly #fresh = new Set<T>();
  readonly #asked = new Set<T>();
  /** All that are not fresh, those shown last at the end. */
  readonly #shown = new Set<T>();
  readonly #askedAt = new WeakMap<T, number>();
  #hurriedAt = Number.NEGATIVE_INFINITY;

  constructor(options: MoveTurnsOptions) {
    this.#options = options;
  }

  /** Takes in one that BEACONs before have shown. */
  add(one: T): void {
    if (!this.#fresh.has(one)) this.#shown.add(one);
  }

  /** It says something new. */
  changed(one: T): void {
    this.#shown.delete(one);
    this.#asked.delete(one);
    this.#fresh.add(one);
  }

  /** Its client wants it to be shown again: granted once in a period. True when a BEACON may go for it at once, which is once in a period for all. */
  again(one: T): boolean {
    const { clock, period } = this.#options;
    const now = clock.now();
    if (this.#fresh.has(one) || now - (this.#askedAt.get(one) ?? Number.NEGATIVE_INFINITY) < period) return false;
    this.#askedAt.set(one, now);
    this.#shown.add(one);
    this.#asked.add(one);
    if (now - this.#hurriedAt < period) return false;
    this.#hurriedAt = now;
    return true;
  }

  remove(one: T): void {
    for (const order of [this.#fresh, this.#asked, this.#shown]) order.delete(one);
  }

  get hasFresh(): boolean {
    return this.#fresh.size > 0;
  }

  /** Those whose turn it is. */
  next(): T[] {
    const { places } = this.#options;
    const taken = new Set(first(this.#fresh, places));
    const half = Math.floor((places - taken.size) / 2);
    for (const one of first(this.#asked, half)) taken.add(one);
    for (const one of first(this.#shown, places)) if (taken.size < places) taken.add(one);
    for (const one of taken) {
      this.remove(one);
      this.#shown.add(one);
    }
    return [...taken];
  }
}

function first<T>(order: Iterable<T>, most: number): T[] {
  const found: T[] = [];
  for (const one of order) {
    if (found.length >= most) break;
    found.push(one);
  }
  return found;
}
