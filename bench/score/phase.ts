/** `<folder> <pairs>`: a job of scores over a store of files that holds so many pairs, a fifth as many agents. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { epochsOf } from '../../core/aggregator/epochs.ts';
import { addPayment, addSayings } from '../../core/aggregator/ingest/score-facts.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { allAgents, allPairs } from '../../core/aggregator/reputation/facts.ts';
import { ScoreJob } from '../../core/aggregator/reputation/score-job.ts';
import { ScoreThread } from '../../core/aggregator/reputation/score-thread.ts';
import { agents, newAgent } from '../../core/aggregator/store/agents.ts';
import { pairRef } from '../../core/aggregator/store/scores.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { formatAgentId } from '../../core/protocol/identity/ids.ts';
import { newPair, withPayment, withSaying } from '../../core/protocol/reputation/sums.ts';
import { openStore } from '../../core/storage/store.ts';
import { median } from '../framework/median.ts';
import { ready } from '../framework/ready.ts';
import { network } from '../support/agents.ts';

/** The main thread noticed these delays, in milliseconds. */
export interface Noticed {
  readonly longest: number;
  readonly p99: number;
  readonly took: number;
}

/** Turns of the main thread's loop: milliseconds of processor time of the longest, and how many took more than the goal. */
export interface Turns {
  readonly longest: number;
  readonly count: number;
  readonly long: number;
}

export interface Scored {
  readonly pairs: number;
  readonly agents: number;
  /** Milliseconds of the thread that computes: by the clock, and of processor time while nothing else was to do. */
  readonly run: { readonly wall: number; readonly cpu: number };
  /** While nothing was done. */
  readonly floor: Noticed;
  /** While a started job learned everything, and while it followed changes that give many another score. */
  readonly start: Noticed;
  readonly update: Noticed;
  /** How many rows were written then. */
  readonly written: number;
  /** The same three again, with the processor time of each turn of the main thread's loop. */
  readonly floorTurn?: Turns | undefined;
  /** While as much as a commit was reckoned in every turn, without memory or files: what the machine makes of turns like ours. */
  readonly busyTurn?: Turns | undefined;
  readonly startTurn?: Turns | undefined;
  readonly updateTurn?: Turns | undefined;
}

const AT_ONCE = 500;
const USDC = 1_000_000n;
/** How long this thread has run, in nanoseconds, and a space before anything else. */
const SCHEDSTAT = '/proc/thread-self/schedstat';
const SPACE_CODE = 32;
const ZERO_CODE = 48;
/** A turn that is longer than the goal. */
const LONG_MS = 5;
const RUNS = 3;
/** Pairs that change before an update, and updates. */
const CHANGES = 200;
const UPDATES = 3;
/** About as long as an update takes: the longest of many delays is longer than that of few. */
const FLOOR_MS = 10_000;

/** About what a turn of the job takes, and so many rounds of reckoning until they are compiled. */
const BUSY_MS = 0.5;
const WARM_UP = 200;

const never = new AbortController().signal;
const [folder, count] = [process.argv[2]!, Number(process.argv[3])];
const people = count / 5;
const ids = Array.from({ length: people }, (_, index) => {
  const key = Buffer.alloc(32, 7);
  key.writeUInt32BE((index * 7_919) % people, 0);
  return formatAgentId(key);
});
const anchors = ids.filter((_, index) => index % 100 === 0);
const contracts = loadContracts();
const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
const parts = { clock: systemClock, random: systemRandom };
const store = await openStore(lowdbStorage({ dir: folder, clock: systemClock }), { ...parts, validate });
const space = store.space(SPACE);
const epochs = epochsOf(network);
const epoch = epochs.at(systemClock.now());

/** The pair with this number: a buyer and one of its five sellers, and what it paid and said. */
function pairOf(index: number) {
  const [from, to] = [ids[Math.floor(index / 5)]!, ids[(index * 104_729 + 1) % people]!];
  return { from, to, usdc: 1 + (index % 100) };
}

async function fill(): Promise<void> {
  for (let first = 0; first < people; first += AT_ONCE)
    await space.tx([], (tx) => {
      for (const id of ids.slice(first, first + AT_ONCE))
        tx.put(agents.ref(id), newAgent(id, systemClock.now(), epoch));
    });
  for (let first = 0; first < count; first += AT_ONCE)
    await space.tx([], (tx) => {
      for (let index = first; index < Math.min(count, first + AT_ONCE); index += 1) {
        const { from, to, usdc } = pairOf(index);
        const paid = withPayment(newPair(from, to, epoch, 0), BigInt(usdc) * USDC);
        tx.put(pairRef(from, to), withSaying(paid, { kind: 'paid', mass: usdc, value: 90, epoch }, epoch, 0));
      }
    });
}

/** The pairs pay and rate anew. The first of them moves the yardstick or its raters, so that many agents get another score. */
async function change(round: number): Promise<void> {
  for (let index = 0; index < CHANGES; index += 1) {
    const { from, to } = pairOf((index * 7_907 + round) % count);
    await space.tx([pairRef(from, to), agents.ref(to)], (tx) => {
      addPayment(tx, { requester: from, provider: to }, 500n * USDC, epochs);
      addSayings(tx, { from, to, keyChanges: 0 }, [{ kind: 'paid', mass: 500, value: 100, epoch }], epochs);
    });
  }
}

async function noticed(work: () => Promise<unknown>): Promise<Noticed> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  await work();
  const took = performance.now() - began;
  delay.disable();
  // It counts from one tick of a millisecond to the next.
  return { longest: delay.max / 1e6 - 1, p99: delay.percentile(99) / 1e6 - 1, took };
}

/**
 * The most processor time that the main thread spends in one turn of its loop, milliseconds: what it is kept from calls by
 * its own work, whatever else the machine does. Undefined where the system does not tell.
 */
async function longestTurn(work: () => Promise<unknown>): Promise<Turns | undefined> {
  if (!existsSync(SCHEDSTAT)) return undefined;
  const file = openSync(SCHEDSTAT, 'r');
  const text = Buffer.alloc(64);
  // Reading leaves no garbage: the collector would be measured that cleans up behind the measuring.
  const spent = () => {
    // The system counts on when it is asked for the whole process; of one thread it tells the count of its last tick.
    process.cpuUsage();
    readSync(file, text, 0, text.length, 0);
    let nanoseconds = 0;
    for (let place = 0; text[place] !== SPACE_CODE; place += 1)
      nanoseconds = nanoseconds * 10 + text[place]! - ZERO_CODE;
    return nanoseconds / 1e6;
  };
  let [longest, count, long] = [0, 0, 0];
  let last = spent();
  let over = false;
  const look = () => {
    const now = spent();
    const turn = now - last;
    longest = Math.max(longest, turn);
    count += 1;
    if (turn > LONG_MS) long += 1;
    last = now;
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  await work();
  over = true;
  await new Promise(setImmediate);
  closeSync(file);
  return { longest, count, long };
}

/** Turns of half a millisecond of reckoning, for as long as `FLOOR_MS`. */
async function reckon(): Promise<void> {
  let [number, rounds] = [1, 1_000];
  const some = () => {
    for (let round = 0; round < rounds; round += 1) number = (Math.imul(number, 1_103_515_245) + 12_345) | 0;
  };
  for (let warm = 0; warm < WARM_UP; warm += 1) some();
  const times = Array.from({ length: WARM_UP }, () => {
    const began = performance.now();
    some();
    return performance.now() - began;
  });
  rounds = Math.round((rounds * BUSY_MS) / median(times));
  const end = performance.now() + FLOOR_MS;
  while (performance.now() < end) {
    some();
    await nextTurn();
  }
}

/** The thread by itself: fed with all facts, then run a few times. */
async function timeOfRun(): Promise<Scored['run']> {
  const thread = new ScoreThread();
  for await (const some of allAgents(space)) await thread.learn({ agents: some, pairs: [] });
  for await (const pairs of allPairs(space)) await thread.learn({ agents: [], pairs });
  const runs: { wall: number; cpu: number }[] = [];
  for (let turn = 0; turn <= RUNS; turn += 1) {
    const began = performance.now();
    const cpu = process.cpuUsage();
    await thread.run(epoch, anchors, []);
    const { user, system } = process.cpuUsage(cpu);
    if (turn > 0) runs.push({ wall: performance.now() - began, cpu: (user + system) / 1_000 });
  }
  await thread.close();
  return { wall: median(runs.map(({ wall }) => wall)), cpu: median(runs.map(({ cpu }) => cpu)) };
}

// The thread that scores keeps no process alive.
setInterval(() => {}, 60_000);

await fill();
// Everybody has a score before anything is measured, as in a mesh that has run.
const first = new ScoreJob({ ...parts, space, epochs, anchors });
await first.update(never);
await first.close();
await ready();

const run = await timeOfRun();
const floor = await noticed(() => systemClock.sleep(FLOOR_MS));
const floorTurn = await longestTurn(() => systemClock.sleep(FLOOR_MS));
const busyTurn = await longestTurn(reckon);
const job = new ScoreJob({ ...parts, space, epochs, anchors });
const start = await noticed(() => job.update(never));
const updates: (Noticed & { written: number })[] = [];
for (let round = 0; round < UPDATES; round += 1) {
  await change(round);
  const before = space.changes ?? 0;
  const update = await noticed(() => job.update(never));
  updates.push({ ...update, written: (space.changes ?? 0) - before });
}
await change(UPDATES);
const updateTurn = await longestTurn(() => job.update(never));
await job.close();
const again = new ScoreJob({ ...parts, space, epochs, anchors });
const startTurn = await longestTurn(() => again.update(never));
await again.close();
await store.close();
const update = updates.sort((one, other) => one.longest - other.longest)[Math.floor(UPDATES / 2)]!;
const found: Scored = {
  pairs: count,
  agents: people,
  run,
  floor,
  start,
  update,
  written: update.written,
  floorTurn,
  busyTurn,
  startTurn,
  updateTurn,
};
process.stdout.write(JSON.stringify(found));
process.exit();
