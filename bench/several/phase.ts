/**
 * `<folder> <reports> <redis url>`: tells reports to one aggregator, and to two on one store half of them each, in turns; then the same to the
 * writer alone while somebody reads without pause: from that aggregator, or from the other one.
 */
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { ready } from '../framework/ready.ts';
import { warmUp } from '../framework/warm.ts';
import { agentsOf, beaconsOf, dealsOf, type Report } from '../support/agents.ts';
import { type AggregatorProcess, startAggregator } from '../support/child.ts';
import { SIDE_BY_SIDE, tell } from '../support/tell.ts';

/** Milliseconds by the clock, and of processor time of the aggregators. */
interface Work {
  took: number;
  cpu: number;
}

interface Reads {
  took: number;
  reads: number;
}

export interface Several {
  readonly reports: number;
  readonly one: Work;
  readonly two: Work;
  /** Reports that the writer was handed. */
  readonly handed: number;
  /** Reports that were told beside reads, to each side. */
  readonly beside: number;
  readonly readsOfOne: Reads;
  readonly readsOfTwo: Reads;
}

const AGENTS = 1_000;
const TURN = 1_024;
const READERS = 2;
const WARM_UP = { least: 4, most: 8 };

interface Side {
  /** The writer first. */
  readonly processes: readonly AggregatorProcess[];
  readonly agent: Agent;
}

async function measure(folder: string, reports: number, url: string): Promise<Several> {
  const sides = [await open(1, folder, url), await open(2, folder, url)] as const;
  const agents = agentsOf(AGENTS);
  for (const side of sides) await told(side, [...beaconsOf(agents)]);
  const source = dealsOf(agents);
  let batch: readonly Report[] = [];
  const next = () => {
    batch = Array.from({ length: TURN }, () => source.next().value as Report);
  };
  const turns = sides.map((side, n) => async () => {
    if (n === 0) next();
    return 1 / (await told(side, batch)).cpu;
  });
  await warmUp(turns, WARM_UP);
  await ready();
  const [one, two]: Work[] = [
    { took: 0, cpu: 0 },
    { took: 0, cpu: 0 },
  ];
  const before = await handedBy(sides[1]);
  let count = 0;
  for (; count < reports; count += TURN) {
    next();
    // Neither is always the first, whose work behind a turn falls into that of the other.
    const order = (count / TURN) % 2 === 0 ? [0, 1] : [1, 0];
    for (const n of order) add(n === 0 ? one! : two!, await told(sides[n]!, batch));
  }
  const handed = (await handedBy(sides[1])) - before;
  const readsOfOne: Reads = { took: 0, reads: 0 };
  const readsOfTwo: Reads = { took: 0, reads: 0 };
  let beside = 0;
  for (; beside < reports / 2; beside += TURN) {
    next();
    const order = (beside / TURN) % 2 === 0 ? [0, 1] : [1, 0];
    for (const n of order) await readBeside(sides[n]!, batch, n === 0 ? readsOfOne : readsOfTwo);
  }
  for (const { agent, processes } of sides) {
    agent.destroy();
    for (const process of processes) await process.kill();
  }
  return { reports: count, one: one!, two: two!, handed, beside, readsOfOne, readsOfTwo };
}

async function open(count: number, folder: string, url: string): Promise<Side> {
  const processes: AggregatorProcess[] = [];
  const storage = { use: 'redis', url, prefix: `several-${count}` };
  for (let n = 0; n < count; n++)
    processes.push(await startAggregator({ dataDir: join(folder, `several-${count}-${n}`), storage }));
  return { processes, agent: new Agent({ keepAlive: true, maxSockets: SIDE_BY_SIDE + READERS }) };
}

async function told({ processes, agent }: Side, reports: readonly Report[]): Promise<Work> {
  const before = await cpuOf(processes);
  const began = performance.now();
  await tell(
    processes.map(({ url }) => url),
    agent,
    reports,
  );
  const took = performance.now() - began;
  return { took, cpu: (await cpuOf(processes)) - before };
}

/** Tells the writer, while the last process answers reads as fast as they come. */
async function readBeside({ processes, agent }: Side, reports: readonly Report[], sum: Reads): Promise<void> {
  let isOver = false;
  const began = performance.now();
  const reading = Array.from({ length: READERS }, async () => {
    while (!isOver) {
      await read(`${processes.at(-1)!.url}/activity?limit=20`, agent);
      sum.reads += 1;
    }
  });
  await tell([processes[0]!.url], agent, reports);
  isOver = true;
  sum.took += performance.now() - began;
  await Promise.all(reading);
}

function read(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    }).once('error', reject);
  });
}

async function handedBy({ processes, agent }: Side): Promise<number> {
  const text = await read(`${processes.at(-1)!.url}/metrics`, agent);
  return Number(/^mesh_handed_items_total\{result="answered"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

async function cpuOf(processes: readonly AggregatorProcess[]): Promise<number> {
  const usages = await Promise.all(processes.map((process) => process.usage()));
  return usages.reduce((sum, { cpu }) => sum + (cpu.user + cpu.system) / 1_000, 0);
}

function add(sum: Work, { took, cpu }: Work): void {
  sum.took += took;
  sum.cpu += cpu;
}

const [, , folder = '', reports = '0', redis = ''] = process.argv;
process.stdout.write(JSON.stringify(await measure(folder, Number(reports), redis)));
