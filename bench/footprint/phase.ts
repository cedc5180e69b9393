/**
 * `<folder> <redis url?>`: tells deals and BEACONs of many days to an ingest, and measures how much larger that makes the
 * store. Each agent signs three messages of deals a day, which is the quietest mesh that the design reckons with: the
 * fewer an agent signs, the more each of them takes. Agents and pairs are known before, since they are kept once.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import type { DumpRow } from '../../core/storage/dump.ts';
import { agentsOf, dealsFrom, reportsOf, unsigned } from '../support/agents.ts';
import { DAY, openLedger } from './days.ts';

export interface Footprint {
  /** By adapter. */
  readonly deal: Readonly<Record<string, Bytes & { readonly kept: number }>>;
  readonly beacon: Readonly<Record<string, Bytes>>;
}

interface Bytes {
  /** That are gone when the epochs in which they can be asked for are over. */
  readonly hot: number;
  /** The hot bytes by collection and log. */
  readonly parts: Readonly<Record<string, number>>;
}

type Measure = (rows: readonly DumpRow[]) => Promise<number>;

const AGENTS = 100;
const DAYS = 10;
const DEALS_PER_DAY = 0.6 * AGENTS;
const PAIRS = 2 * AGENTS;
/** Every five minutes. */
const BEACONS_PER_DAY = 288;
const BEACON_DAYS = 2;
const ANNOUNCING = 30;
/** Collections whose documents the store keeps for ever. */
const KEPT = ['aggregator:activity', 'aggregator:interactions'];

async function footprint(folder: string, redis: string | undefined): Promise<Footprint> {
  const measures: Record<string, Measure> = {
    lowdb: (rows) => onFiles(join(folder, 'filled'), rows),
    ...(redis !== undefined && { redis: (rows) => onRedis(redis, rows) }),
  };
  const [deals, beacons] = [await dealDays(join(folder, 'deals')), await beaconDays(join(folder, 'beacons'))];
  const deal: Record<string, Footprint['deal'][string]> = {};
  const beacon: Record<string, Bytes> = {};
  for (const [name, measure] of Object.entries(measures)) {
    const kept = await grown(measure, deals, (part) => KEPT.includes(part));
    deal[name] = { ...(await hotOf(measure, deals)), kept };
    beacon[name] = await hotOf(measure, beacons);
  }
  return { deal, beacon };
}

/** A store before and after, and how many came in between. */
interface Span {
  readonly before: readonly DumpRow[];
  readonly after: readonly DumpRow[];
  readonly count: number;
}

async function hotOf(measure: Measure, span: Span): Promise<Bytes> {
  const isHot = (part: string) => !KEPT.includes(part);
  const names = new Set(span.after.filter(({ 0: kind }) => kind === 'document' || kind === 'record').map(partOf));
  const parts: Record<string, number> = {};
  for (const name of names) {
    const bytes = isHot(name) ? await grown(measure, span, (part) => part === name) : 0;
    if (Math.abs(bytes) >= 1) parts[name.replace('aggregator:', '').replaceAll('-', '_')] = bytes;
  }
  return { hot: await grown(measure, span, isHot), parts };
}

/** The bytes by which one of them makes these parts of the store larger. */
async function grown(measure: Measure, { before, after, count }: Span, takes: (part: string) => boolean) {
  const some = (rows: readonly DumpRow[]) => rows.filter((row) => row[0] === 'store' || takes(partOf(row)));
  return ((await measure(some(after))) - (await measure(some(before)))) / count;
}

function partOf(row: DumpRow): string {
  return row[1] as string;
}

async function dealDays(dir: string): Promise<Span> {
  const ledger = await openLedger(dir);
  const agents = agentsOf(AGENTS, ledger.now);
  for (const agent of agents) Object.assign(agent, { identity: unsigned(agent) });
  const day = async (first: number, count: number) => {
    await ledger.tell([...reportsOf(dealsFrom(agents, first, count))]);
    ledger.pass(DAY);
  };
  await day(0, PAIRS);
  const before = await ledger.rows();
  for (let n = 0; n < DAYS; n++) await day((n * DEALS_PER_DAY) % PAIRS, DEALS_PER_DAY);
  const after = await ledger.rows();
  await ledger.close();
  return { before, after, count: DAYS * DEALS_PER_DAY };
}

async function beaconDays(dir: string): Promise<Span> {
  const ledger = await openLedger(dir);
  const agents = agentsOf(ANNOUNCING, ledger.now);
  for (const agent of agents) Object.assign(agent, { identity: unsigned(agent) });
  const day = async () => {
    for (let n = 0; n < BEACONS_PER_DAY; n++) {
      await ledger.tellBeacons(agents);
      ledger.pass(DAY / BEACONS_PER_DAY);
    }
  };
  await day();
  const before = await ledger.rows();
  for (let n = 0; n < BEACON_DAYS; n++) await day();
  const after = await ledger.rows();
  await ledger.close();
  return { before, after, count: ANNOUNCING * BEACON_DAYS * BEACONS_PER_DAY };
}

/** The files of a store that holds these rows and nothing else, without its journal. */
async function onFiles(dir: string, rows: readonly DumpRow[]): Promise<number> {
  const adapter = lowdbStorage({ dir, clock: ANCIENT });
  await load(adapter, rows);
  let bytes = 0;
  for (const file of await readdir(dir)) if (!file.startsWith('journal')) bytes += (await stat(join(dir, file))).size;
  await rm(dir, { recursive: true });
  return bytes;
}

async function onRedis(url: string, rows: readonly DumpRow[]): Promise<number> {
  const admin = new Redis(url);
  try {
    await admin.flushall();
    const used = async () => Number(/used_memory_dataset:(\d+)/.exec(await admin.info('memory'))![1]);
    const before = await used();
    await load(redisStorage({ url, prefix: 'filled' }), rows);
    return (await used()) - before;
  } finally {
    admin.disconnect();
  }
}

/** Nothing has expired when the rows are counted. */
const ANCIENT = { now: () => 0 };

async function load(adapter: StorageAdapter, rows: readonly DumpRow[]): Promise<void> {
  await adapter.load!(streamed(rows));
}

async function* streamed(rows: readonly DumpRow[]): AsyncGenerator<DumpRow> {
  yield* rows;
}

const [, , folder = '', redis] = process.argv;
process.stdout.write(JSON.stringify(await footprint(folder, redis)), () => process.exit());
