/** One phase of the storage bench: `load <adapter> <dir> <records> <tasks> <from>` or `recover <adapter> <dir> <records>`. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { appendLog, collection, counter, ranking } from '../../core/storage/declarations.ts';
import type { Space } from '../../core/storage/space.ts';
import { openStore, type Store } from '../../core/storage/store.ts';
import { type Stalls, watchStalls } from './stall.ts';

/** Times are milliseconds; `cpu` is what the main thread computed, which a busy machine does not change. */
export interface Loaded {
  readonly commits_per_second: number;
  readonly cpu_microseconds_per_commit: number;
  readonly wait: { readonly p50: number; readonly p99: number; readonly most: number };
  readonly stall: Stalls;
  /** Megabytes. */
  readonly heap: number;
}

export interface Recovered {
  readonly took: number;
  readonly cpu: number;
  readonly megabytes: number;
  readonly cold_page: number;
  /** Megabytes. */
  readonly heap: number;
  /** Bytes. */
  readonly heap_per_record: number;
}

const AGENTS = 10_000;
const MONTH = 30 * 24 * 60 * 60 * 1_000;
const anything = () => [];

const events = appendLog<any>('events', { schema: anything, postings: ({ from, to }) => [from, to] });
const agents = collection<any>('agents', { schema: anything });
const scores = ranking('scores');
const conversations = collection<any>('conversations', { schema: anything, ttl: MONTH });
const total = counter('total');

function open(adapter: string, dir: string): Promise<Store> {
  const made = {
    lowdb: () => lowdbStorage({ dir, clock: systemClock }),
    redis: () => redisStorage({ url: dir, prefix: 'bench' }),
    memory: () => memoryStorage({ clock: systemClock }),
  }[adapter]!();
  return openStore(made, { validate: anything, clock: systemClock, random: systemRandom });
}

function hex(n: number, length: number): string {
  let text = '';
  for (let x = n + 1; text.length < length; ) {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
    text += x.toString(16).padStart(8, '0');
  }
  return text.slice(0, length);
}

async function record(space: Space, n: number): Promise<void> {
  const from = hex(n % AGENTS, 64);
  const to = hex((n * 7 + 1) % AGENTS, 64);
  const conversation = conversations.ref(hex(n + AGENTS, 32));
  const agent = agents.ref(to);
  await space.tx([conversation, agent], (tx) => {
    if (tx.get(conversation)) return;
    const known = tx.get(agent) ?? { count: 0, sum: 0 };
    const next = { count: known.count + 1, sum: known.sum + (n % 100), last_seen: tx.now };
    tx.put(agent, next);
    tx.rank(scores, to, next.sum / next.count);
    tx.put(conversation, { a: from, b: to, feedback: 1 });
    tx.append(events, { type: 'FEEDBACK', from, to, score: n % 100, at: tx.now, conversation: conversation.id });
    tx.add(total, 1);
  });
}

function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function heapMegabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}

async function load(adapter: string, dir: string, records: number, tasks: number, from: number): Promise<Loaded> {
  const empty = heapMegabytes();
  const store = await open(adapter, dir);
  const space = store.space('bench');
  const waits = new Float64Array(records);
  let next = 0;
  const stop = watchStalls();
  const began = performance.now();
  const cpu = process.cpuUsage();
  async function work(): Promise<void> {
    for (let n = next++; n < records; n = next++) {
      const asked = performance.now();
      await record(space, from + n);
      waits[n] = performance.now() - asked;
      // Requests come from the event loop, which a store that never waits for a disk would otherwise keep out.
      if (n % 64 === 0) await setImmediate();
    }
  }
  await Promise.all(Array.from({ length: tasks }, work));
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const stall = stop();
  const heap = heapMegabytes() - empty;
  await store.close();
  const sorted = [...waits.sort()];
  return {
    commits_per_second: (records / took) * 1_000,
    cpu_microseconds_per_commit: (user + system) / records,
    wait: { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), most: percentile(sorted, 1) },
    stall,
    heap,
  };
}

async function recover(adapter: string, dir: string, records: number): Promise<Recovered> {
  const megabytes = readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0) / 1e6;
  const empty = heapMegabytes();
  const began = performance.now();
  const cpu = process.cpuUsage();
  const store = await open(adapter, dir);
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const space = store.space('bench');
  if ((await space.total(total)) !== BigInt(records)) throw new Error('records are missing');
  const asked = performance.now();
  const page = await space.page(events, { before: records >> 1, limit: 50 });
  if (page.length !== 50) throw new Error('a page is missing');
  const cold = performance.now() - asked;
  const heap = heapMegabytes() - empty;
  await store.close();
  return {
    took,
    cpu: (user + system) / 1_000,
    megabytes,
    cold_page: cold,
    heap,
    heap_per_record: (heap * 1e6) / records,
  };
}

const [, , phase, adapter = '', dir = '', records = '0', tasks = '1', from = '0'] = process.argv;
const result =
  phase === 'load'
    ? load(adapter, dir, Number(records), Number(tasks), Number(from))
    : recover(adapter, dir, Number(records));
process.stdout.write(JSON.stringify(await result));
