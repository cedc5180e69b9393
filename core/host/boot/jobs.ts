import type { Clock, Random } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { placeOf } from '../../platform/place-of.ts';
import { messageOf } from '../../platform/problem.ts';
import type { Job } from '../../plugin.ts';

const JITTER = 0.1;

export interface JobTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

/** A job that repeats until the signal is aborted. */
export interface RunningJob {
  readonly plugin: string;
  readonly name: string;
  /** Why its last run failed; undefined when it did not. */
  failure(): string | undefined;
  /** Resolves when its last run is over. */
  readonly ended: Promise<void>;
}

export function startJob(plugin: string, job: Job, log: Log, tools: JobTools): RunningJob {
  const { clock, random, metrics, signal } = tools;
  const runs = metrics.counter('mesh_job_runs_total', 'Runs of background jobs.', ['plugin', 'job', 'result']);
  let failure: string | undefined;

  function pause(ms: number): number {
    return Math.max(0, ms * (1 + (job.jitter ?? JITTER) * (2 * random.fraction() - 1)));
  }

  async function repeat(): Promise<void> {
    let wait = pause(job.first ?? job.every);
    while (await slept(clock, wait, signal)) {
      try {
        await job.run(signal);
        failure = undefined;
        runs({ plugin, job: job.name, result: 'ok' });
      } catch (error) {
        if (signal.aborted) return;
        failure = messageOf(error);
        runs({ plugin, job: job.name, result: 'failed' });
        log.error({ err: error, job: job.name, at: placeOf(error) }, 'a job failed');
      }
      wait = pause(job.every);
    }
  }
  return { plugin, name: job.name, failure: () => failure, ended: repeat() };
}

/** False when the signal was aborted first. */
function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(ms, signal).then(
    () => !signal.aborted,
    () => false,
  );
}
