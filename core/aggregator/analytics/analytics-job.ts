import type { Clock, Random } from '../../platform/clock.ts';
import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import { JobLease } from '../job-lease.ts';
import { countingRef, NOTHING_READ, stateRef } from '../store/analytics.ts';
import { ledgerEvents } from '../store/ledger.ts';
import { activity } from '../store/logs.ts';
import { closeEnded } from './closing.ts';
import { clusterAll } from './clustering.ts';
import { countPage } from './counting.ts';
import { Pace, TakenOver } from './pace.ts';
import { GRACE_MS } from './parameters.ts';

export interface AnalyticsJobParts {
  readonly space: Space;
  readonly epochs: Epochs;
  readonly clock: Clock;
  readonly random: Random;
}

/** Changes within this time are counted together. */
const GATHER_MS = 1_000;
/**
 * Counts what the logs say, closes the epochs that end, and makes the clusters, in this process or in another one that
 * shares the store. Reports do not wait for it: it reads what they have left, from where it stopped.
 */
export class AnalyticsJob {
  readonly #parts: AnalyticsJobParts;
  readonly #lease: JobLease;

  constructor(parts: AnalyticsJobParts) {
    this.#parts = parts;
    this.#lease = new JobLease({ ...parts, ref: countingRef });
  }

  /** Until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    try {
      while (!signal.aborted) {
        const mine = await this.update(signal, true);
        if (mine) await this.#news(signal);
        else await clock.sleep(this.#lease.ms / 3, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await this.#lease.release();
    }
  }

  /** Brings everything up to what is stored now; false when another process does. With `rests` the work is paced. */
  async update(signal: AbortSignal, rests = false): Promise<boolean> {
    try {
      await this.#count(new Pace(this.#lease, signal, this.#parts.clock, rests));
      return true;
    } catch (error) {
      if (error instanceof TakenOver) return false;
      throw error;
    }
  }

  async #count(pace: Pace): Promise<void> {
    const { space, epochs, clock } = this.#parts;
    const asOf = clock.now();
    do await pace.step();
    while (await countPage(space, epochs));
    await closeEnded(space, epochs, asOf, pace);
    const { closed, clustered } = (await space.get(stateRef)) ?? NOTHING_READ;
    if (closed !== clustered) await clusterAll(space, closed, asOf, pace);
    await space.tx([stateRef], (tx) => {
      const state = tx.get(stateRef) ?? NOTHING_READ;
      tx.put(stateRef, { ...state, as_of: Math.max(state.as_of ?? 0, asOf) });
    });
  }

  /** Until a log goes on, or an epoch can be closed. */
  async #news(signal: AbortSignal): Promise<void> {
    const { space, clock, epochs } = this.#parts;
    const { activity: signed, ledger, closed } = (await space.get(stateRef)) ?? NOTHING_READ;
    const heard = new AbortController();
    const until = AbortSignal.any([signal, heard.signal]);
    const left = (closed + 2) * epochs.ms + GRACE_MS - clock.now();
    try {
      await Promise.race([
        space.tail(activity, signed, until).next(),
        space.tail(ledgerEvents, ledger, until).next(),
        // The clock of another process may have closed it, and a timer holds no more than 24 days.
        clock.sleep(Math.min(Math.max(1_000, left), 3_600_000), until),
      ]);
    } finally {
      heard.abort();
    }
    await clock.sleep(GATHER_MS, signal);
  }
}
