import type { Clock, Random } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { placeOf } from '../../platform/place-of.ts';
import type { Writership } from '../../platform/writership.ts';
import type { Job } from '../../plugin.ts';

const JITTER = 0.1;
/** No run of a job takes so long, unless it is meant to. */
const LONGEST_RUN = 600_000;

export interface JobTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  /** Of several processes on one store, the one that runs what is to run once. */
  readonly writership: Writership;
}

/** A job that repeats until the signal is aborted. */
export interface RunningJob {
  readonly plugin: string;
  readonly name: string;
  /** Its fault, as an end of a sentence about the job; undefined when nothing is. */
  trouble(): string | undefined;
  /** Resolves when its last run is over. */
  readonly ended: Promise<void>;
}

export function startJob(plugin: string, job: Job, log: Log, tools: JobTools): RunningJob {
  const { clock, random, metrics, signal, writership } = tools;
  const runs = metrics.counter('mesh_job_runs_total', 'Runs of background jobs.', ['plugin', 'job', 'result']);
  let failed = false;
  let began: number | undefined;

  function trouble(): string | undefined {
    if (began !== undefined && !job.endless && clock.now() - began > LONGEST_RUN)
      return `has been running for more than ${LONGEST_RUN / 60_000} minutes`;
    return failed ? 'failed' : undefined;
  }

  function pause(ms: number): number {
    return Math.max(0, ms * (1 + (job.jitter ?? JITTER) * (2 * random.fraction() - 1)));
  }

  async function repeat(): Promise<void> {
    let wait = pause(job.first ?? job.every);
    /** Whether its last run, in this term, did all there was to do. */
    let isDone = false;
    while (await slept(clock, wait, signal)) {
      const term = job.once ? await writership.term(signal).catch(() => signal) : signal;
      if (signal.aborted) return;
      const until = term === signal ? signal : AbortSignal.any([signal, term]);
      try {
        const rests = isDone && job.due !== undefined;
        isDone = false;
        if (rests) await job.due?.(until);
        if (signal.aborted) return;
        if (until.aborted) continue;
        began = clock.now();
        await job.run(until);
        isDone = true;
        failed = false;
        runs({ plugin, job: job.name, result: 'ok' });
      } catch (error) {
        if (signal.aborted) return;
        if (term.aborted) continue;
        failed = true;
        runs({ plugin, job: job.name, result: 'failed' });
        log.error({ err: error, job: job.name, at: placeOf(error) }, 'a job failed');
      } finally {
        began = undefined;
      }
      wait = pause(job.every);
    }
  }
  return { plugin, name: job.name, trouble, ended: repeat() };
}

/** False when the signal was aborted first. */
function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(ms, signal).then(
    () => !signal.aborted,
    () => false,
  );
}
