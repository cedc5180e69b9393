import type { Clock } from '../../platform/clock.ts';
import type { JobLease } from '../job-lease.ts';

/** Another process has taken the job over. */
export class TakenOver extends Error {
  override name = 'TakenOver';
}

/**
 * A step is followed by a pause so many times as long. Most of a step is waiting for the store, so a job takes a tenth of a core
 * at the most, and still keeps up with thousands of events a second.
 */
const REST = 3;
/** A clock that jumps ahead looks like a long step. */
const MOST_MS = 1_000;

/** Keeps a job that goes in steps on its lease and within its share of the machine. */
export class Pace {
  readonly #lease: JobLease;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  readonly #rests: boolean;
  #began: number;

  /** `rests`: whether it pauses at all. */
  constructor(lease: JobLease, signal: AbortSignal, clock: Clock, rests: boolean) {
    this.#lease = lease;
    this.#signal = signal;
    this.#clock = clock;
    this.#rests = rests;
    this.#began = clock.now();
  }

  /** Before each step; throws when the job is to stop here. */
  async step(): Promise<void> {
    const worked = this.#clock.now() - this.#began;
    if (this.#rests && worked > 0) await this.#clock.sleep(Math.min(MOST_MS, REST * worked), this.#signal);
    if (!(await this.#lease.hold())) throw new TakenOver();
    this.#signal.throwIfAborted();
    this.#began = this.#clock.now();
  }
}
