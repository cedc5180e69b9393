/**
 * `<folder> <reports> <redis url?>`: tells the same reports of nodes to an aggregator on each adapter, in processes of
 * their own, and verifies the same signatures here, on one thread and with nothing else to do; all in turns.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { ready } from '../framework/ready.ts';
import { warmUp } from '../framework/warm.ts';
import { agentsOf, beaconsOf, dealsOf, type Report } from '../support/agents.ts';
import { startAggregator } from '../support/child.ts';
import { SIDE_BY_SIDE, tell } from '../support/tell.ts';

/** Milliseconds by the clock for all reports that were measured, and of processor time. */
export interface Work {
  took: number;
  cpu: number;
}

export interface Ingested {
  readonly reports: number;
  /** By `crypto.verify`. */
  readonly bare: Work;
  /** By the aggregator on each adapter. */
  readonly adapters: Readonly<Record<string, Work>>;
}

const AGENTS = 1_000;
/** Reports in one turn. */
const TURN = 1_024;
/** Turns in which code is compiled. */
const WARM_UP = { least: 3, most: 5 };

async function measure(folder: string, reports: number, redis: string | undefined): Promise<Ingested> {
  // lowdb last: what it merges behind a turn falls into the signing of the next.
  const sides = await Promise.all([
    ...(redis ? [open('redis', folder, { use: 'redis', url: redis, prefix: 'bench' })] : []),
    open('lowdb', folder, { use: 'lowdb' }),
  ]);
  const agents = agentsOf(AGENTS);
  await Promise.all(sides.map(({ tell }) => tell([...beaconsOf(agents)])));
  const source = dealsOf(agents);
  let batch: readonly Report[] = [];
  const next = () => {
    batch = Array.from({ length: TURN }, () => source.next().value as Report);
  };
  const turns = sides.map(({ tell }, n) => async () => {
    if (n === 0) next();
    return 1 / (await tell(batch)).cpu;
  });
  await warmUp(turns, WARM_UP);
  await ready();
  const bare: Work = { took: 0, cpu: 0 };
  const adapters = Object.fromEntries(sides.map(({ name }) => [name, { took: 0, cpu: 0 }]));
  let told = 0;
  for (; told < reports; told += TURN) {
    next();
    add(bare, verifyAll(batch));
    for (const { name, tell } of sides) add(adapters[name]!, await tell(batch));
  }
  for (const { close } of sides) await close();
  return { reports: told, bare, adapters };
}

async function open(name: string, folder: string, storage: object) {
  const aggregator = await startAggregator({ dataDir: join(folder, name), storage });
  const agent = new Agent({ keepAlive: true, maxSockets: SIDE_BY_SIDE });
  return {
    name,
    async tell(reports: readonly Report[]): Promise<Work> {
      const before = await aggregator.usage();
      const began = performance.now();
      await tell([aggregator.url], agent, reports);
      const took = performance.now() - began;
      return { took, cpu: milliseconds((await aggregator.usage()).cpu) - milliseconds(before.cpu) };
    },
    async close() {
      agent.destroy();
      await aggregator.kill();
    },
  };
}

function add(sum: Work, { took, cpu }: Work): void {
  sum.took += took;
  sum.cpu += cpu;
}

const keys = new Map<string, KeyObject>();

function verifyAll(reports: readonly Report[]): Work {
  const ready = reports.map(({ key }) => keyOf(key));
  const began = performance.now();
  const cpu = process.cpuUsage();
  for (const [i, { message, signature }] of reports.entries()) {
    if (!verify(null, message, ready[i]!, signature)) throw new Error('a signature is wrong');
  }
  return { took: performance.now() - began, cpu: milliseconds(process.cpuUsage(cpu)) };
}

function keyOf(key: Uint8Array): KeyObject {
  const x = Buffer.from(key).toString('base64url');
  const known = keys.get(x) ?? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  keys.set(x, known);
  return known;
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

const [, , folder = '', reports = '0', redis] = process.argv;
process.stdout.write(JSON.stringify(await measure(folder, Number(reports), redis)));
