import assert from 'node:assert/strict';
import { epochsOf } from '../../core/aggregator/epochs.ts';
import { addPayment } from '../../core/aggregator/ingest/score-facts.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { ScoreJob } from '../../core/aggregator/reputation/score-job.ts';
import { OrganicEscrows } from '../../core/aggregator/series/organic-escrows.ts';
import { OrganicJob } from '../../core/aggregator/series/organic-job.ts';
import { escrowRef, ledgerEvents, type StoredEscrow } from '../../core/aggregator/store/ledger.ts';
import { organicEscrowsRef, organicSeries, organicTotalsRef } from '../../core/aggregator/store/organic.ts';
import { Store } from '../../core/internal-services.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { happens } from '../support/happens.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';
import { network, signDeal, TestAgent } from './support/agent.ts';
import { bootAggregator, statuses, type TestAggregator } from './support/aggregator.ts';
import { NOON, openDomain } from './support/domain.ts';

const USDC = 1_000_000n;
const HOUR = 3_600_000;
const never = new AbortController().signal;

describe('organic figures beside raw ones', function () {
  this.timeout(30_000);
  const clock = new ShiftedClock();
  const [anchor, honest, ring, accomplice] = ['anchor', 'honest', 'ring', 'accomplice'].map(
    (name) => new TestAgent(`${name} of organic figures`, () => clock.now()),
  ) as [TestAgent, TestAgent, TestAgent, TestAgent];
  let aggregator: TestAggregator;
  before(async () => {
    const ingest = { newKeysPerHour: 10_000, itemsPerKeyPerMinute: 10_000 };
    aggregator = await bootAggregator({ clock, core: { ingest, reputation: { anchors: [anchor.id] } } });
    for (const agent of [anchor, honest, ring, accomplice])
      assert.deepEqual(statuses(await aggregator.ingest(agent.beacon('one').whole)), ['accepted']);
  });
  after(() => aggregator.stop());

  const paid = (from: TestAgent, to: TestAgent, usdc: number) =>
    aggregator
      .get(Store)
      .space(SPACE)
      .tx([], (tx) =>
        addPayment(tx, { requester: from.id, provider: to.id }, BigInt(usdc) * USDC, epochsOf(network), clock.now()),
      );
  const rated = async (from: TestAgent, to: TestAgent) => {
    const { conversation, propose, accept, deliver } = signDeal(from, to, undefined, { amount_usdc_micro: 0n });
    const items = [propose.receipt, accept.receipt, deliver.receipt, from.feedback(to, conversation, 80).whole];
    for (const item of items) assert.deepEqual(statuses(await aggregator.ingest(item)), ['accepted']);
  };
  const stats = (is: (found: any) => boolean) => aggregator.scored('/stats/network', is);
  const newest = async (bucket: string) => (await aggregator.read(`/stats/timeseries?bucket=${bucket}`)).at(-1);

  it('are null before anything was scored, and say of which version they are after', async () => {
    const { organic } = await stats((found) => found.organic !== null);
    assert.deepEqual([organic.version, organic.volume_usdc, organic.agent_count], [2, 0, 0]);
    const old = await aggregator.read('/stats/timeseries?window=7d');
    assert.equal(old[0].organic, null);
  });

  it('leave out what flowed back, and trade that no anchor grounds', async () => {
    await paid(anchor, honest, 100);
    await paid(honest, anchor, 40);
    await paid(ring, accomplice, 500);
    await rated(anchor, honest);
    await rated(ring, accomplice);
    const found = await stats(({ organic }) => organic?.interaction_count === 1 && organic.volume_usdc > 0);
    assert.deepEqual([found.volume_usdc, found.interaction_count], [640, 2]);
    const { as_of, ...organic } = found.organic;
    assert.deepEqual(organic, {
      ...{ version: 2, agent_count: 2, interaction_count: 1, payment_count: 1, volume_usdc: 60 },
    });
    assert.ok(Date.parse(as_of) <= clock.now());
    for (const bucket of ['hour', 'day']) {
      const row = await happens(`${bucket}s are counted`, async () => {
        const found = await newest(bucket);
        return found.feedback_count === 2 && found.organic.feedback_count === 1 ? found : undefined;
      });
      assert.deepEqual([row.settled_usdc, row.payment_count], [640, 3]);
      assert.deepEqual(row.organic, {
        ...{ version: 2, payment_count: 1, settled_usdc: 60, settled_usdc_micro: 60_000_000, feedback_count: 1 },
      });
    }
  });

  it('of an hour follow the scores for a day, and stay as they were then', async () => {
    const [hour, day] = [(await newest('hour')).bucket, (await newest('day')).bucket];
    clock.shift(26 * HOUR);
    for (const agent of [anchor, honest]) await aggregator.ingest(agent.beacon('one again').whole);
    await paid(honest, anchor, 20);
    await stats(({ organic }) => organic.volume_usdc === 40);
    const from = new Date(1_000 * hour).toISOString();
    const [then] = await aggregator.read(`/stats/timeseries?bucket=hour&from=${from}`);
    assert.equal(then.organic.settled_usdc, 60);
    const [whole] = await aggregator.read(`/stats/timeseries?bucket=day&from=${new Date(1_000 * day).toISOString()}`);
    assert.equal(whole.organic.settled_usdc, 40);
  });
});

describe('the job that counts organic figures', () => {
  it('counts once for each state of the store, on a thread as on this one, and nothing where another process scores', async () => {
    const domain = await openDomain();
    const { space, epochs, clock } = domain;
    const [a, b] = ['a', 'b'].map((name) => new TestAgent(`counted ${name}`, () => NOON)) as [TestAgent, TestAgent];
    await domain.take(a.beacon('a'), b.beacon('b'));
    await space.tx([], (tx) => addPayment(tx, { requester: a.id, provider: b.id }, 7n * USDC, epochs, NOON));
    const jobs = [1_000, 0].map(
      (here) => new ScoreJob({ space, epochs, clock, random: systemRandom, anchors: [a.id], here }),
    );
    try {
      for (const scores of jobs) {
        const job = new OrganicJob({ space, clock, scores });
        assert.equal(await job.run(never), false);
        assert.equal(await scores.update(never), true);
        assert.deepEqual([await job.run(never), await job.run(never)], [true, false]);
        assert.equal(await scores.organicAgents(), 2);
        assert.deepEqual(
          (await scores.organic([
            [a.id, b.id],
            [b.id, a.id],
          ]))!.map(({ paid }) => paid),
          [1, 0],
        );
        const { agents, version } = (await space.get(organicTotalsRef))!;
        assert.deepEqual([agents, version, await space.count(organicSeries)], [2, 2, 54]);
        await scores.close();
        assert.equal(await scores.organic([[a.id, b.id]]), undefined);
      }
    } finally {
      for (const scores of jobs) await scores.close();
      await domain.store.close();
    }
  });
});

describe('the job that counts what is organic of the escrows that hold money', () => {
  it('takes those between agents between whom money went that counts, by their states', async () => {
    const domain = await openDomain();
    const { space, epochs, clock } = domain;
    const [anchor, honest, ring, accomplice] = ['anchor', 'honest', 'ring', 'accomplice'].map(
      (name) => new TestAgent(`${name} with escrows`, () => NOON),
    ) as [TestAgent, TestAgent, TestAgent, TestAgent];
    await domain.take(...[anchor, honest, ring, accomplice].map((agent) => agent.beacon('one')));
    const pay = (from: TestAgent, to: TestAgent, usdc: bigint) =>
      space.tx([], (tx) => addPayment(tx, { requester: from.id, provider: to.id }, usdc * USDC, epochs, NOON));
    await pay(anchor, honest, 100n);
    await pay(honest, anchor, 40n);
    await pay(ring, accomplice, 500n);
    let count = 0;
    const lock = async (from: TestAgent, to: TestAgent, state: StoredEscrow['state'], usdc: bigint) => {
      count += 1;
      const conversation = String(count).padStart(32, '0');
      const escrow: StoredEscrow = {
        ...{ requester: from.id, provider: to.id, notary: null, conversation_id: conversation, state },
        ...{ amount: `${usdc * USDC}`, released: '0', terms: 'aa'.repeat(32), deadline: NOON + HOUR },
        ...{ review_secs: 60, dispute_bps: 5_000, locked_at: NOON, delivered_at: null, delivery: null },
        ...{ disputed_at: null, closed_at: null, signature: '1'.repeat(64), stale: false },
      };
      await space.tx([], (tx) => tx.put(escrowRef({ requester: from.id, provider: to.id, conversation }), escrow));
    };
    for (const state of ['locked', 'delivered', 'disputed', 'contested'] as const)
      await lock(anchor, honest, state, 10n);
    await lock(honest, anchor, 'locked', 10n);
    await lock(ring, accomplice, 'locked', 1_000n);
    const scores = new ScoreJob({ space, epochs, clock, random: systemRandom, anchors: [anchor.id] });
    const job = new OrganicEscrows({ space, clock, scores });
    try {
      assert.equal(await job.run(never), false);
      await scores.update(never);
      assert.deepEqual([await job.run(never), await job.run(never)], [true, false]);
      const { usdc, version, as_of: _, ...counts } = (await space.get(organicEscrowsRef))!;
      // Sixty of each hundred from the anchor count, and nothing of what goes back to it.
      assert.deepEqual([usdc, version, counts], ['24000000', 2, { locked: 2, delivered: 1, disputed: 2 }]);
      // A step on the ledger is reason to count again.
      await space.append(ledgerEvents, {
        name: 'escrow_locked',
        signature: null,
        ordinal: 0,
        slot: 1,
        at: NOON,
        facts: {},
      });
      clock.time += 1_000;
      assert.deepEqual([await job.run(never), await job.run(never)], [true, false]);
    } finally {
      await scores.close();
      await domain.store.close();
    }
  });
});
