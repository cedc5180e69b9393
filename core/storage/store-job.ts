import { Alarm } from '../platform/alarm.ts';
import type { Clock } from '../platform/clock.ts';
import type { Job } from '../platform/job.ts';
import type { Space } from './space.ts';

// The plugin contract has all kinds of jobs from here.
export { Alarm, type Job };

/** A job whose work follows from the store and the time alone. */
export interface StoreJob extends Omit<Job, 'run' | 'due'> {
  /** Gives the moment at which there is work again while the store stays as it is: Unix milliseconds, and Infinity for none. */
  run(signal: AbortSignal): Promise<number>;
}

/**
 * A job that rests until the moment that its last run gave, or until this process has changed its store. Where other processes change
 * the store too, nobody tells of that, and it looks again each `every`.
 */
export function storeJob(space: Space, clock: Clock, job: StoreJob): Job {
  const alarm = new Alarm(clock);
  let seen: number | undefined;
  let moment = 0;
  return {
    ...job,
    async run(signal) {
      // A change during the run may have come too late for its reads.
      seen = space.changes;
      moment = await job.run(signal);
    },
    async due(signal) {
      if (seen === undefined) return;
      const forget = space.follow(() => alarm.ring());
      try {
        if (space.changes === seen) await alarm.until(moment, signal);
      } finally {
        forget();
      }
    },
  };
}
