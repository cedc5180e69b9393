import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { scriptFile } from '../framework/script.ts';
import type { AggregatorSettings, Live, Said, Usage } from './aggregator.ts';

/** An aggregator in a process of its own, which does not outlive this one. */
export interface AggregatorProcess {
  readonly url: string;
  /** Milliseconds from its start to when it was ready. */
  readonly readyAfter: number;
  usage(): Promise<Usage>;
  /** Collects its garbage. */
  live(): Promise<Live>;
  stop(): Promise<void>;
  /** Ends it at once, when nobody needs what it has stored. */
  kill(): Promise<void>;
}

/** `BENCH_AGGREGATOR_ARGS` are flags of node for it, such as `--cpu-prof`. */
export async function startAggregator(settings: AggregatorSettings): Promise<AggregatorProcess> {
  const began = performance.now();
  const flags = process.env['BENCH_AGGREGATOR_ARGS']?.split(' ') ?? [];
  const child = fork(scriptFile('support/aggregator.js'), [JSON.stringify(settings)], {
    execArgv: ['--expose-gc', ...flags],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const { url } = await said<Said>(child);
  return {
    url,
    readyAfter: performance.now() - began,
    usage: () => asked<Usage>(child, 'usage'),
    live: () => asked<Live>(child, 'live'),
    stop: () => ended(child, 'SIGTERM'),
    kill: () => ended(child, 'SIGKILL'),
  };
}

function asked<T>(child: ChildProcess, question: 'usage' | 'live'): Promise<T> {
  const answer = said<T>(child);
  child.send(question);
  return answer;
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await once(child, 'exit');
}

function said<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the aggregator ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
  });
}
