/**
 * One phase of the serve bench: `<milliseconds> <folder> <agents> <folder> <agents>`: the small store, then the large
 * one. Opens an aggregator on each, in processes of their own, and asks them and a bare koa for the same in turns.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { scriptFile } from '../framework/script.ts';
import { warmUp } from '../framework/warm.ts';
import { type AggregatorProcess, startAggregator } from '../support/child.ts';
import { Caller } from './load.ts';
import { byRoute, pathsOf, patternOf, ROUTES, type Route, warmUpOf } from './routes.ts';
import { type Server, Side } from './side.ts';

export interface Served {
  readonly small: Store;
  readonly large: Store;
}

export interface Store {
  /** Milliseconds from the start of the process until it answered. */
  readonly ready: number;
  /** Bytes: resident when all was read, the heap in use, and what is left of it without garbage. */
  readonly resident: number;
  readonly heap: number;
  readonly live: number;
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

/** Milliseconds. */
const TURN = 50;
const REST = 1_000;
const LONGEST_START = 180_000;
/** Of a processor, for an aggregator that nobody calls. */
const AT_REST = 0.1;

interface BareServer extends Server {
  stop(): void;
}

interface Opened {
  readonly aggregator: AggregatorProcess;
  readonly paths: Readonly<Record<Route, readonly string[]>>;
  readonly routes: Partial<Record<Route, Asked>>;
}

async function measure(ms: number, stores: readonly { dir: string; agents: readonly string[] }[]): Promise<Store[]> {
  const opened: Opened[] = [];
  for (const { dir, agents } of stores) {
    const aggregator = await startAggregator({ dataDir: dir, storage: { use: 'lowdb' } });
    opened.push({ aggregator, paths: byRoute((route) => pathsOf(route, agents)), routes: {} });
  }
  for (const { aggregator } of opened) await comesToRest(aggregator);
  const bodies = await bodiesOf(opened.at(-1)!);
  const bare = await startBare(Object.fromEntries(ROUTES.map((route) => [patternOf(route), bodies[route]])));
  for (const route of ROUTES) await compare(opened, bare, route, { ms, bytes: bodies[route].length });
  bare.stop();
  return Promise.all(
    opened.map(async ({ aggregator, routes }) => {
      const { rss: resident, heapUsed: heap } = (await aggregator.usage()).memory;
      const { live } = await aggregator.live();
      await aggregator.kill();
      return { ready: aggregator.readyAfter, resident, heap, live, routes: routes as Store['routes'] };
    }),
  );
}

/** A start sets off the first count of all scores, which takes longer with a large store. */
async function comesToRest(aggregator: AggregatorProcess): Promise<void> {
  const end = performance.now() + LONGEST_START;
  for (let before = await spent(aggregator); performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, REST));
    const now = await spent(aggregator);
    if (now - before < AT_REST * REST) return;
    before = now;
  }
  throw new Error(`The aggregator still works ${LONGEST_START / 1_000} s after its start.`);
}

/** Milliseconds of processor time. */
async function spent(aggregator: AggregatorProcess): Promise<number> {
  const { user, system } = (await aggregator.usage()).cpu;
  return (user + system) / 1_000;
}

async function bodiesOf({ aggregator, paths }: Opened): Promise<Readonly<Record<Route, string>>> {
  const caller = await Caller.open(aggregator.url);
  const bodies: Partial<Record<Route, string>> = {};
  for (const route of ROUTES) bodies[route] = await caller.get(paths[route][0]!);
  caller.close();
  return bodies as Record<Route, string>;
}

/** Asks all stores, and a bare koa that answers with what the last of them said, in turns: so what they differ by is not the hour. */
async function compare(
  opened: readonly Opened[],
  bare: Server,
  route: Route,
  { ms, bytes }: { readonly ms: number; readonly bytes: number },
): Promise<void> {
  const ours = await Promise.all(opened.map(({ aggregator, paths }) => Side.open(aggregator, paths[route])));
  const theirs = await Side.open(bare, opened[0]!.paths[route]);
  const sides = [...ours, theirs];
  await warmUp(
    sides.map((side) => async () => 1 / (await side.turn(TURN)).cpu),
    warmUpOf(route),
  );
  for (const side of sides) side.forget();
  for (let asked = 0; asked < ms; asked += TURN) for (const side of sides) await side.turn(TURN);
  const { per_s: bare_per_s, p99: bare_p99, cpu: bare_cpu } = theirs.close();
  for (const [n, { routes }] of opened.entries()) {
    routes[route] = { ...ours[n]!.close(), bare_per_s, bare_p99, bare_cpu, bytes };
  }
}

async function startBare(bodies: Readonly<Record<string, string>>): Promise<BareServer> {
  const child = fork(scriptFile('serve/bare.js'), { serialization: 'advanced' });
  child.send(bodies);
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

const [, , ms = '0', ...stores] = process.argv;
const given = stores.map((text) => JSON.parse(text));
const [small, large] = (await measure(Number(ms), given)) as [Store, Store];
process.stdout.write(JSON.stringify({ small, large } satisfies Served));
