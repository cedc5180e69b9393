/**
 * One phase of the serve bench: `<milliseconds> <folder> <agents> <folder> <agents>`: the small store, then the large
 * one. Opens an aggregator on each, in processes of their own, and asks them and a bare koa for the same in turns.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { scriptFile } from '../framework/script.ts';
import { type AggregatorProcess, startAggregator } from '../support/child.ts';
import { type Answers, ask, Caller, percentile } from './load.ts';

export interface Served {
  readonly small: Store;
  readonly large: Store;
}

export interface Store {
  /** Milliseconds from the start of the process until it answered. */
  readonly ready: number;
  /** Bytes: resident when all was read, and the heap in use. */
  readonly resident: number;
  readonly heap: number;
  readonly routes: Readonly<Record<Route, Asked>>;
}

export interface Asked {
  readonly per_s: number;
  readonly bare_per_s: number;
  readonly p99: number;
  readonly bare_p99: number;
  /** Microseconds of processor time for one answer. */
  readonly cpu: number;
  readonly bare_cpu: number;
  readonly bytes: number;
}

export type Route = 'profile' | 'leaderboard' | 'activity';

const CONNECTIONS = 4;
const TURN = 100;
/** Long enough for the compiler to have seen it all; all sides at once. */
const WARM_UP = 500;

interface Side {
  readonly url: string;
  usage(): Promise<{ readonly cpu: NodeJS.CpuUsage }>;
}

interface Opened {
  readonly aggregator: AggregatorProcess;
  readonly agents: readonly string[];
  readonly routes: Partial<Record<Route, Asked>>;
}

async function measure(ms: number, stores: readonly { dir: string; agents: readonly string[] }[]): Promise<Store[]> {
  const opened: Opened[] = [];
  for (const { dir, agents } of stores) {
    const aggregator = await startAggregator({ dataDir: dir, storage: { use: 'lowdb' } });
    opened.push({ aggregator, agents, routes: {} });
  }
  for (const route of ['profile', 'leaderboard', 'activity'] as const) await compare(opened, route, ms);
  const results: Store[] = [];
  for (const { aggregator, routes } of opened) {
    const { rss: resident, heapUsed: heap } = (await aggregator.usage()).memory;
    results.push({ ready: aggregator.readyAfter, resident, heap, routes: routes as Store['routes'] });
    await aggregator.stop();
  }
  return results;
}

/** Asks both stores, and for each a bare koa with the same bytes, in turns: so what they differ by is not the hour. */
async function compare(opened: readonly Opened[], route: Route, ms: number): Promise<void> {
  const pairs = await Promise.all(
    opened.map(async ({ aggregator, agents, routes }) => {
      const paths = route === 'profile' ? agents.map((id) => `/agents/${id}/profile`) : [`/${route}`];
      const first = await Caller.open(aggregator.url);
      const body = await first.get(paths[0]!);
      first.close();
      const bare = await startBare(route === 'profile' ? '/agents/:id/profile' : `/${route}`, body);
      return {
        routes,
        bytes: body.length,
        bare,
        ours: await sideOf(aggregator, paths),
        theirs: await sideOf(bare, paths),
      };
    }),
  );
  const sides = pairs.flatMap(({ ours, theirs }) => [ours, theirs]);
  await Promise.all(sides.map(({ callers, next }) => ask(callers, next, WARM_UP, { count: 0, took: 0, waits: [] })));
  for (let asked = 0; asked < ms; asked += TURN) {
    for (const one of sides) {
      const before = await one.side.usage();
      await ask(one.callers, one.next, TURN, one.answers);
      one.cpu += microseconds((await one.side.usage()).cpu) - microseconds(before.cpu);
    }
  }
  for (const { routes, bytes, bare, ours, theirs } of pairs) {
    for (const caller of [...ours.callers, ...theirs.callers]) caller.close();
    bare.stop();
    routes[route] = {
      per_s: (1_000 * ours.answers.count) / ours.answers.took,
      bare_per_s: (1_000 * theirs.answers.count) / theirs.answers.took,
      p99: percentile(ours.answers.waits, 0.99),
      bare_p99: percentile(theirs.answers.waits, 0.99),
      cpu: ours.cpu / ours.answers.count,
      bare_cpu: theirs.cpu / theirs.answers.count,
      bytes,
    };
  }
}

async function sideOf(side: Side, paths: readonly string[]) {
  const callers = await Promise.all(Array.from({ length: CONNECTIONS }, () => Caller.open(side.url)));
  let n = 0;
  const answers: Answers = { count: 0, took: 0, waits: [] };
  return { side, callers, answers, next: () => paths[n++ % paths.length]!, cpu: 0 };
}

async function startBare(path: string, body: string): Promise<Side & { stop(): void }> {
  const child = fork(scriptFile('serve/bare.js'), { serialization: 'advanced' });
  child.send({ path, body });
  const [{ url }] = await once(child, 'message');
  return {
    url,
    async usage() {
      child.send('usage');
      return (await once(child, 'message'))[0];
    },
    stop: () => child.disconnect(),
  };
}

function microseconds({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}

const [, , ms = '0', ...stores] = process.argv;
const given = stores.map((text) => JSON.parse(text));
const [small, large] = (await measure(Number(ms), given)) as [Store, Store];
process.stdout.write(JSON.stringify({ small, large } satisfies Served));
