import type { Clock } from '../../platform/clock.ts';
import { ExpiryHeap, NOWHERE } from '../../storage/expiry-heap.ts';

interface Alarm {
  readonly id: string;
  readonly expires: number;
  place: number;
}

/** The longest wait for a moment: a clock that is set forward is noticed within it. */
const LONGEST = 600_000;

/** Moments at which agents are to be woken, with one timer for all of them. */
export class WakeTimes {
  readonly #clock: Clock;
  readonly #ring: (id: string) => void;
  readonly #alarms = new Map<string, Alarm>();
  readonly #heap = new ExpiryHeap<Alarm>();
  #cancel = () => {};

  constructor(clock: Clock, ring: (id: string) => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** In place of the moment that was set before; Infinity for none. */
  set(id: string, at: number): void {
    const before = this.#alarms.get(id);
    if (before) this.#heap.remove(before);
    this.#alarms.delete(id);
    if (at !== Number.POSITIVE_INFINITY) {
      const alarm = { id, expires: at, place: NOWHERE };
      this.#alarms.set(id, alarm);
      this.#heap.add(alarm);
    }
    this.#plan();
  }

  /** Infinity when none is set. */
  of(id: string): number {
    return this.#alarms.get(id)?.expires ?? Number.POSITIVE_INFINITY;
  }

  close(): void {
    this.#cancel();
    this.#alarms.clear();
  }

  #plan(): void {
    this.#cancel();
    this.#cancel = () => {};
    const next = this.#heap.first;
    if (!next) return;
    const wait = Math.min(LONGEST, Math.max(0, next.expires - this.#clock.now()));
    this.#cancel = this.#clock.after(wait, () => this.#look());
  }

  #look(): void {
    for (let due = this.#heap.pop(this.#clock.now()); due; due = this.#heap.pop(this.#clock.now())) {
      this.#alarms.delete(due.id);
      this.#ring(due.id);
    }
    this.#plan();
  }
}
