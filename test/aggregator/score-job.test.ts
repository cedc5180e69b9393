import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { addPayment, addSayings } from '../../core/aggregator/ingest/score-facts.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { ScoreJob } from '../../core/aggregator/reputation/score-job.ts';
import { ScoreThread, scoreHere } from '../../core/aggregator/reputation/score-thread.ts';
import { agents, newAgent, type StoredAgent } from '../../core/aggregator/store/agents.ts';
import {
  explanations,
  lastRunRef,
  pairRef,
  type StoredPair,
  scoreChanges,
  scoringRef,
} from '../../core/aggregator/store/scores.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import type { ListedAgent } from '../../core/protocol/reputation/scorer.ts';
import { DONE_NOTHING, newPair, withPayment, withSaying } from '../../core/protocol/reputation/sums.ts';
import { inPassing, type Ref } from '../../core/storage/declarations.ts';
import type { Space } from '../../core/storage/space.ts';
import { openStore } from '../../core/storage/store.ts';
import { TestAgent } from './support/agent.ts';
import { type Domain, NOON, openDomain } from './support/domain.ts';

const never = new AbortController().signal;
const USDC = 1_000_000n;

describe('the job that scores', function () {
  this.timeout(60_000);
  let domain: Domain;
  const jobs: ScoreJob[] = [];
  const crowd = Array.from({ length: 12 }, (_, index) => new TestAgent(`scored ${index}`, () => NOON));

  beforeEach(async () => {
    domain = await openDomain();
    await domain.take(...crowd.map((agent, index) => agent.beacon(`agent ${index}`)));
  });
  afterEach(async () => {
    for (const job of jobs.splice(0)) await job.close();
    await domain.store.close();
  });

  async function deal(payer: TestAgent, provider: TestAgent, usdc: number, value: number): Promise<void> {
    const { space, epochs } = domain;
    await space.tx([], (tx) => {
      addPayment(tx, { requester: payer.id, provider: provider.id }, BigInt(usdc) * USDC, epochs);
      const saying = { kind: 'paid', mass: usdc, value, epoch: epochs.at(NOON) } as const;
      addSayings(tx, { from: payer.id, to: provider.id, keyChanges: 0 }, [saying], epochs);
    });
  }

  async function economy(): Promise<void> {
    for (let n = 0; n < 40; n += 1) {
      // Buyers are the first half, so that not all of it goes round.
      const [payer, provider] = [crowd[n % 6]!, crowd[6 + ((n * 7) % 6)]!];
      if (payer !== provider) await deal(payer, provider, 1 + (n % 9), 100 - n);
    }
  }

  function jobWith(here: number): ScoreJob {
    const job = new ScoreJob({ ...domain, random: systemRandom, anchors: [crowd[0]!.id, crowd[5]!.id], here });
    jobs.push(job);
    return job;
  }

  async function written() {
    const ids = crowd.map(({ id }) => id);
    const rows = await domain.space.getMany(ids.map((id) => agents.ref(id)));
    const found = await domain.space.getMany(ids.map((id) => explanations.ref(id)));
    return rows.map((row, index) => ({ score: row!.standing.score, rank: row!.standing.rank, why: found[index] }));
  }

  it('comes to the same scores on a thread of its own as on this one', async () => {
    await economy();
    await jobWith(1_000).update(never);
    const here = await written();
    assert.ok(new Set(here.map(({ score }) => score)).size > 3, JSON.stringify(here.map(({ score }) => score)));
    assert.ok(here.some(({ why }) => (why?.grounded_usdc ?? 0) > 0));
    const moved = crowd.filter((_, index) => here[index]!.why);
    for (const agent of moved)
      await domain.space.tx([agents.ref(agent.id)], (tx) => {
        const row = tx.get(agents.ref(agent.id))!;
        tx.put(agents.ref(agent.id), { ...row, standing: { ...row.standing, score: 7, rank: 7 } });
      });
    await jobWith(0).update(never);
    assert.deepEqual(await written(), here);
  });

  it('follows what changes, and comes to what a fresh start comes to', async () => {
    const job = jobWith(1_000);
    await job.update(never);
    await economy();
    await job.update(never);
    await deal(crowd[0]!, crowd[3]!, 30, -100);
    await job.update(never);
    const followed = await written();
    await jobWith(1_000).update(never);
    assert.deepEqual(
      (await written()).map(({ score, rank }) => [score, rank]),
      followed.map(({ score, rank }) => [score, rank]),
    );
    assert.deepEqual(await domain.space.page(scoreChanges, { after: 0 }), [], 'what was read is forgotten');
    assert.equal((await domain.space.get(lastRunRef))!.as_of, NOON);
  });

  it('writes points that add up to the score, with the largest raters', async () => {
    await economy();
    await jobWith(1_000).update(never);
    for (const { score, why } of await written()) {
      const points = Object.values(why?.points ?? {}).reduce((sum, part) => sum + part, 0);
      assert.ok(Math.abs(points - score) <= 0.5 + 1e-9, `${points} is not ${score}`);
      for (const rater of why?.raters ?? [])
        assert.ok(Math.abs(rater.grounded_usdc - rater.share * rater.paid_usdc) < 1e-9);
    }
  });

  it('explains what was told since, also where no number shown changes by it, and after a restart', async () => {
    const [one, two, three, target] = [crowd[0]!, crowd[1]!, crowd[2]!, crowd[3]!];
    const job = jobWith(1_000);
    const shown = async () => {
      const { score, rank } = (await domain.space.get(agents.ref(target.id)))!.standing;
      return [score, rank, (await domain.space.get(explanations.ref(target.id)))!.rater_count];
    };
    await deal(one, target, 0, 80);
    await job.update(never);
    const [score, rank] = await shown();
    assert.deepEqual(await shown(), [score, rank, 1]);
    await deal(two, target, 0, 60);
    await job.update(never);
    assert.deepEqual(await shown(), [score, rank, 2]);
    await deal(three, target, 0, 1);
    await jobWith(1_000).update(never);
    assert.deepEqual(await shown(), [score, rank, 3]);
    const changed = async (run: () => Promise<unknown>) => {
      const before = domain.space.changes!;
      await run();
      return domain.space.changes! - before;
    };
    const once = await changed(async () => domain.space.put(lastRunRef, (await domain.space.get(lastRunRef))!));
    const ofStart = await changed(() => jobWith(1_000).update(never));
    assert.equal(ofStart, once, 'a start writes nobody of whom nothing was told');
  });

  it('keeps no agent and no pair in memory that nobody else looks at', async () => {
    const { clock, epochs } = domain;
    const parts = { clock, random: systemRandom };
    const store = await openStore(memoryStorage({ clock }), { ...parts, validate: () => [] });
    const space = store.space(SPACE);
    const epoch = epochs.at(NOON);
    const pairs = crowd.slice(1).map(({ id }) => pairRef(crowd[0]!.id, id));
    await space.tx([], (tx) => {
      for (const { id } of crowd) tx.put(agents.ref(id), newAgent(id, NOON, epoch));
      for (const [index, ref] of pairs.entries()) {
        const paid = withPayment(newPair(crowd[0]!.id, crowd[index + 1]!.id, epoch, 0), 9n * USDC);
        tx.put(ref, withSaying(paid, { kind: 'paid', mass: 9, value: 90, epoch }, epoch, 0));
      }
    });
    const job = new ScoreJob({ ...parts, space, epochs, anchors: [crowd[0]!.id], here: 0 });
    await job.update(never);
    await space.tx([], (tx) => {
      tx.append(scoreChanges, { from: crowd[0]!.id, to: crowd[1]!.id });
      tx.put(pairs[0]!, withPayment(newPair(crowd[0]!.id, crowd[1]!.id, epoch, 0), 90n * USDC));
    });
    await job.update(never);
    const [first, again] = await Promise.all([0, 1].map(() => rowsOf(space, pairs)));
    assert.ok(first!.some((row) => (row as StoredAgent).standing?.score > 0));
    for (const [index, row] of first!.entries()) assert.notEqual(row, again![index], `row ${index} was kept`);
    await job.close();
    await store.close();

    async function rowsOf(of: Space, also: readonly Ref<StoredPair>[]) {
      return of.getMany([...crowd.map(({ id }) => agents.ref(id)), ...also].map((ref) => inPassing<unknown>(ref)));
    }
  });

  it('writes nobody whose score stays', async () => {
    await economy();
    const job = jobWith(1_000);
    await job.update(never);
    const before = domain.space.changes!;
    await job.update(never);
    assert.equal(domain.space.changes, before, 'nothing has happened');
  });

  it('runs by itself within a second, until it is stopped', async () => {
    const job = new ScoreJob({
      ...domain,
      clock: { ...systemClock, now: () => NOON },
      random: systemRandom,
      anchors: [crowd[0]!.id],
    });
    const stop = new AbortController();
    const following = job.follow(stop.signal);
    await pause(50);
    await deal(crowd[0]!, crowd[1]!, 20, 100);
    const standing = async () => (await domain.space.get(agents.ref(crowd[1]!.id)))!.standing;
    for (const end = Date.now() + 5_000; (await standing()).score === 0 && Date.now() < end; ) await pause(10);
    assert.ok((await standing()).score > 40);
    stop.abort();
    await following;
  });

  it('rests no longer than a run may take when the clock is set while it runs', async () => {
    let looks = 0;
    const rests: number[] = [];
    const clock = {
      ...systemClock,
      // An hour passes between the first look, which is when the run begins, and the next.
      now: () => NOON + (looks++ === 0 ? 0 : 3_600_000),
      sleep(ms: number, signal?: AbortSignal) {
        rests.push(ms);
        return systemClock.sleep(Math.min(ms, 10), signal);
      },
    };
    await economy();
    const job = new ScoreJob({ ...domain, clock, random: systemRandom, anchors: [] });
    const stop = new AbortController();
    const following = job.follow(stop.signal);
    for (const end = Date.now() + 5_000; rests.length === 0 && Date.now() < end; ) await pause(10);
    stop.abort();
    await following;
    assert.ok(rests[0]! > 0 && rests[0]! <= 600_000, `it rests ${rests[0]} ms`);
  });

  it('is done by one of several processes that share a store, and by another one when that is gone', async () => {
    // A store of many processes says that it cannot know what others have changed.
    const shared = Object.create(domain.space, { changes: { value: undefined } });
    for (const method of ['tx', 'get', 'getMany', 'page', 'put', 'count'] as const)
      shared[method] = (...given: never[]) => (domain.space[method] as (...of: never[]) => unknown)(...given);
    const [one, other] = [1, 2].map(
      () => new ScoreJob({ ...domain, space: shared, random: systemRandom, anchors: [] }),
    );
    assert.equal(await one!.update(never), true);
    assert.equal(await other!.update(never), false);
    domain.clock.time += 31_000;
    assert.equal(await other!.update(never), true, 'whoever has stopped without a word is followed');
    assert.equal(await one!.update(never), false);
    assert.ok(await domain.space.get(scoringRef));
  });

  it('rejects everything when its thread dies, and begins anew', async () => {
    const thread = new ScoreThread();
    await thread.close();
    await assert.rejects(thread.run(1, [], []), /has ended/);
    const job = jobWith(0);
    await economy();
    await job.update(never);
    const before = await written();
    await jobWith(0).update(never);
    assert.deepEqual(await written(), before);
  });
});

describe('a large mesh', function () {
  this.timeout(120_000);
  const AGENTS = 50_000;
  const PAIRS = 250_000;
  const EPOCH = 20_000;
  const id = (index: number) => `agent ${String((index * 7_919) % AGENTS).padStart(38, '0')}`;

  function* agentsOf(): Generator<ListedAgent> {
    for (let index = 0; index < AGENTS; index += 1)
      yield {
        ...{ ...DONE_NOTHING, id: id(index), staked: '0', active: EPOCH, key_changes: 0, belongs: [] },
        shown: { score: 0, rank: -28.62 },
      };
  }

  function* pairsOf() {
    for (let index = 0; index < PAIRS; index += 1) {
      const usdc = 1 + (index % 100);
      const pair = newPair(id(Math.floor((index * AGENTS) / PAIRS)), id((index * 104_729 + 1) % AGENTS), EPOCH, 0);
      const saying = { kind: 'paid', mass: usdc, value: 90, epoch: EPOCH } as const;
      yield withSaying(withPayment(pair, BigInt(usdc) * USDC), saying, EPOCH, 0);
    }
  }

  it('of 50,000 agents and 250,000 pairs is scored while this thread goes on', async () => {
    const thread = new ScoreThread();
    let some: ListedAgent[] = [];
    for (const agent of agentsOf())
      if (some.push(agent) === 500) await thread.learn({ agents: some.splice(0), pairs: [] });
    let told: ReturnType<typeof newPair>[] = [];
    for (const pair of pairsOf())
      if (told.push(pair) === 500) await thread.learn({ agents: [], pairs: told.splice(0) });
    some = [];
    told = [];
    const anchors = Array.from({ length: 500 }, (_, index) => id(index * 3));
    await thread.run(EPOCH, anchors, []);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    const { changed } = await thread.run(EPOCH, anchors, []);
    const took = performance.now() - began;
    delay.disable();
    const stall = delay.percentile(99) / 1e6;
    assert.ok(stall < 50, `this thread was late by ${stall.toFixed(1)} ms, in ${took.toFixed(0)} ms`);
    assert.ok(changed > 10_000, `${changed} have changed`);
    assert.ok(took < 10_000, `${took} ms`);
    const next = await thread.next(25);
    assert.equal(next.length, 25);
    await thread.close();
  });

  it('is scored as it is on one thread', async () => {
    const places = [new ScoreThread(), scoreHere()];
    const agents = [...agentsOf()].slice(0, 2_000);
    const known = new Set(agents.map((agent) => agent.id));
    const pairs = [...pairsOf()].slice(0, 40_000).filter(({ from, to }) => known.has(from) && known.has(to));
    const found = await Promise.all(
      places.map(async (place) => {
        await place.learn({ agents, pairs });
        const run = await place.run(EPOCH, [agents[3]!.id], []);
        return { run, first: await place.next(100) };
      }),
    );
    assert.deepEqual(found[0], found[1]);
    await places[0]!.close();
  });
});
