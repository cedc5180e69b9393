/** `readers <folder> <count> <seconds>`: an aggregator is told reports at an even pace, with nobody who looks and with as many open overviews. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { median } from '../framework/median.ts';
import { scriptFile } from '../framework/script.ts';
import { agentsOf, beaconsOf, dealsFrom, type Report, reportsOf } from '../support/agents.ts';
import { type AggregatorProcess, startAggregator } from '../support/child.ts';
import { tell } from '../support/tell.ts';

/** Milliseconds by the clock. */
interface Times {
  readonly median: number;
  readonly worst: number;
}

interface Told {
  readonly told: Times;
  /** From the moment a report is told until the last reader has its event. */
  readonly reached: Times;
  readonly reports: number;
  readonly deliveries: number;
  /** Milliseconds of the aggregator's processor, and by the clock. */
  readonly cpu: number;
  readonly took: number;
}

export interface Read {
  readonly opened: { readonly readers: number; readonly took: number; readonly cpu: number };
  readonly alone: Told;
  readonly open: Told & { readonly reads: { readonly count: number; readonly took: number; readonly cpu: number } };
}

const AGENTS = 200;
const EVERY = 100;
const WARM_UP = 2_000;

const [folder = '', count = '0', seconds = '0'] = process.argv.slice(2);
const http = new Agent({ keepAlive: true, maxSockets: 1 });
const agents = agentsOf(AGENTS);
let first = 0;

const aggregator = await startAggregator({
  dataDir: folder,
  storage: { use: 'lowdb' },
  api: { socketsPerIp: Number(count), connectionsPerIp: Number(count) + 100 },
});
await tell([aggregator.url], http, [...beaconsOf(agents)]);
await tell([aggregator.url], http, accepts(WARM_UP).flat());

const alone = await told(undefined);
const before = await cpuOf(aggregator);
const began = performance.now();
const watching = await opened('1');
const opening = {
  readers: Number(count),
  took: performance.now() - began,
  cpu: (await cpuOf(aggregator)) - before,
};
const open = await told(watching);
watching.kill();
await once(watching, 'exit');
const reads = await readsAlone();
console.log(JSON.stringify({ opened: opening, alone, open: { ...open, reads } } satisfies Read));
http.destroy();
await aggregator.kill();

/** Deals up to their ACCEPT, which is one event; PROPOSE is none. */
function accepts(deals: number): (readonly Report[])[] {
  const made = dealsFrom(agents, first, deals);
  first += deals;
  const reports = [...reportsOf(made)];
  return made.map((_, n) => [reports[n]!, reports[deals + n]!]);
}

async function told(readers: ChildProcess | undefined): Promise<Told> {
  const batches = accepts(Math.round((Number(seconds) * 1_000) / EVERY));
  const [answered, reached]: [number[], number[]] = [[], []];
  const { events: from } = readers ? await asked(readers, 'reads') : { events: 0 };
  const cpu = await cpuOf(aggregator);
  const began = performance.now();
  for (const [n, batch] of batches.entries()) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + n * EVERY - performance.now())));
    const at = performance.now();
    const all = readers && asked(readers, { until: from + (n + 1) * Number(count) });
    await tell([aggregator.url], http, batch);
    answered.push(performance.now() - at);
    await all;
    reached.push(performance.now() - at);
  }
  const took = performance.now() - began;
  return {
    ...{ told: timesOf(answered), reached: timesOf(reached), reports: batches.length * 2, took },
    deliveries: readers ? batches.length * Number(count) : 0,
    cpu: (await cpuOf(aggregator)) - cpu,
  };
}

/** The reads of as many pages, without their sockets and with nothing told. */
async function readsAlone() {
  const pages = await opened('0');
  const [before, cpu, began] = [await asked(pages, 'reads'), await cpuOf(aggregator), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1_000));
  const after = await asked(pages, 'reads');
  const found = {
    count: after.reads - before.reads,
    took: performance.now() - began,
    cpu: (await cpuOf(aggregator)) - cpu,
  };
  pages.kill();
  await once(pages, 'exit');
  return found;
}

async function opened(withSockets: '0' | '1'): Promise<ChildProcess> {
  const child = fork(scriptFile('pages/overviews.js'), [aggregator.url, count, withSockets], { execArgv: [] });
  await said(child);
  return child;
}

async function asked(child: ChildProcess, question: { until: number } | 'reads') {
  const answer = said(child);
  child.send(question);
  return (await answer) as { readonly events: number; readonly reads: number };
}

function said(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the readers ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}

async function cpuOf(one: AggregatorProcess): Promise<number> {
  const { user, system } = (await one.usage()).cpu;
  return (user + system) / 1_000;
}

function timesOf(values: readonly number[]): Times {
  return { median: median([...values]), worst: Math.max(...values) };
}
