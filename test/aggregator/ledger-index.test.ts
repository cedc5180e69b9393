import assert from 'node:assert/strict';
import { lookAtLapsed } from '../../core/aggregator/ingest/lapsed-deals.ts';
import { Indexer } from '../../core/aggregator/ledger/indexer.ts';
import { ledgerEvents, positions, stakes } from '../../core/aggregator/store/ledger.ts';
import type { Settlement } from '../../core/ledger/settlement.ts';
import type { SettlementEvent } from '../../core/protocol/settlement/events.ts';
import { type SettlementBench, settlementBench, USDC } from '../ledger/settlement-bench.ts';
import { signDeal } from './support/agent.ts';
import { LedgerDomain, never } from './support/ledger-domain.ts';

const HOUR = 3_600_000;

describe('the settlement program in the eyes of an aggregator', function () {
  this.timeout(60_000);
  let bench: SettlementBench;
  let at: LedgerDomain;

  before(async () => {
    bench = await settlementBench({ unlockSecs: 7 * 86_400 });
  });
  after(() => bench.close());
  beforeEach(async () => {
    at = await LedgerDomain.open(bench);
  });
  afterEach(() => at.close());

  const lapse = () => lookAtLapsed({ ...at.domain, dropped: () => {} }, at.domain.clock.time, never);

  it('settled money makes a rating weigh more, and the rating waits until the account confirms it', async () => {
    const { deal, payer, worker, name } = await at.lockedDeal();
    const poor = { payer: await at.newAgent(0n), worker: await at.newAgent(0n) };
    const free = signDeal(poor.payer, poor.worker);
    await at.follow();
    const { domain } = at;
    await domain.take(deal.propose, deal.accept, deal.deliver, payer.feedback(worker, deal.conversation, 80));
    await domain.take(free.propose, free.accept, free.deliver, poor.payer.feedback(poor.worker, free.conversation, 80));
    assert.deepEqual((await at.standingOf(worker)).scores, [], 'counted before the escrow closed');

    await bench.take({ type: 'deliver', ...name, delivery: deal.deliver.id }, at.by(worker));
    await bench.take({ type: 'approve', ...name }, at.by(payer));
    await at.index();
    assert.deepEqual(at.indexed, ['escrow_locked', 'escrow_delivered', 'escrow_approved']);
    assert.deepEqual((await at.standingOf(worker)).scores, [], 'counted before the account was read');
    await at.readAccounts();
    const [paid, unpaid] = [await at.standingOf(worker), await at.standingOf(poor.worker)];
    assert.deepEqual([paid.scores, unpaid.scores], [[80], [80]]);
    const none = { mass: 0, sum: 0 };
    const told = await at.pairOf(payer, worker);
    const said = { paid: { mass: 40, sum: 3200 }, returned: none, word: none, free: none };
    assert.deepEqual([told!.paid, told!.said], ['40000000', said]);
    const heard = await at.pairOf(poor.payer, poor.worker);
    assert.deepEqual([heard!.paid, heard!.said], ['0', { ...said, paid: none, free: { mass: 1, sum: 80 } }]);
    const escrow = (await at.escrow(name))!;
    assert.deepEqual([escrow.state, escrow.released, escrow.stale], ['released', '40000000', false]);
  });

  it('an abandoned escrow counts against its provider a day later, once', async () => {
    const { deal, payer, worker, name } = await at.lockedDeal();
    await at.domain.take(deal.propose, deal.accept);
    at.advance(7_201);
    await bench.take({ type: 'reclaim', ...name }, at.by(payer));
    await at.follow();
    assert.equal((await at.standingOf(worker)).counts.abandoned, 0);
    at.domain.clock.time += 25 * HOUR;
    for (let times = 0; times < 2; times += 1) {
      await lapse();
      assert.equal((await at.standingOf(worker)).counts.abandoned, 1);
    }
  });

  const wrong: [string, object][] = [
    ['dust', { amount: 1n, bond: 0n }],
    ['the amount without its bond', { bond: 0n }],
    ['another floor for disputes', { disputeBps: 5_000 }],
    ['another review', { reviewSecs: 3_600 }],
    ['an earlier deadline', { early: true }],
    ['something else', { terms: 'ee'.repeat(32) }],
  ];
  for (const [what, changed] of wrong)
    it(`a lock of ${what}, taken back, leaves the provider unharmed and lets nobody rate it`, async () => {
      const early = 'early' in changed ? { deadline: Math.floor(at.domain.clock.time / 1000) + 3_800 } : changed;
      const { deal, payer, worker, name } = await at.lockedDeal(early);
      await at.domain.take(deal.propose, deal.accept, payer.feedback(worker, deal.conversation, -100));
      at.advance(7_201);
      await bench.take({ type: 'reclaim', ...name }, at.by(payer));
      await at.follow();
      at.domain.clock.time += 26 * HOUR;
      await lapse();
      const [{ counts, scores }, asking] = [await at.standingOf(worker), await at.standingOf(payer)];
      assert.deepEqual([counts.abandoned, scores], [0, []]);
      assert.equal(asking.counts.unpaid, 1, 'what was agreed was never locked');
    });

  it('a lock of dust that is released gives no right to rate a provider that never delivered', async () => {
    const { deal, payer, worker, name } = await at.lockedDeal({ amount: 1n, bond: 0n });
    await at.domain.take(deal.propose, deal.accept, payer.feedback(worker, deal.conversation, -100));
    await bench.take({ type: 'approve', ...name }, at.by(payer));
    await at.follow();
    assert.deepEqual((await at.standingOf(worker)).scores, []);
    assert.equal((await at.escrow(name))!.state, 'released');
  });

  it('blames nobody for a deal whose contents it was not told', async () => {
    const made = await at.lockedDeal();
    const { deal, payer, worker, name } = made;
    await at.reportReceipts(made);
    at.advance(7_201);
    await bench.take({ type: 'reclaim', ...name }, at.by(payer));
    await at.follow();
    at.domain.clock.time += 26 * HOUR;
    await lapse();
    assert.equal((await at.standingOf(worker)).counts.abandoned, 0);
    // The contents come later than their receipts, and are those that were signed.
    await at.domain.take(deal.propose, deal.accept);
    assert.equal((await at.standingOf(worker)).counts.abandoned, 1);
  });

  it('takes each event once, however often it is interrupted', async () => {
    const { payer, name } = await at.lockedDeal();
    await bench.take({ type: 'approve', ...name }, at.by(payer));
    const before = await at.domain.space.page(ledgerEvents, { limit: 200 });
    for (let stops = 1; stops < 12; stops += 1) {
      const stopping = new AbortController();
      let calls = 0;
      const settlement: Settlement = {
        ...bench.settlement,
        events: async (...args) => {
          const page = await bench.settlement.events(...args);
          return {
            ...page,
            entries: watched(page.entries, () => {
              calls += 1;
              if (calls > stops) stopping.abort();
            }),
          };
        },
      };
      await new Indexer(at.parts(settlement)).run(stopping.signal);
    }
    // Two processes at once share the rest.
    await Promise.all([at.index(), at.index()]);
    const after = await at.domain.space.page(ledgerEvents, { limit: 200 });
    const names = after.map(({ record }) => `${record.signature} ${record.ordinal}`);
    assert.equal(new Set(names).size, names.length);
    assert.equal(after.length, before.length + 2);
  });

  it('goes on behind an event that it cannot take, counts a gap and reads every account anew', async () => {
    const agent = await at.newAgent();
    const { name } = await at.lockedDeal();
    await bench.take({ type: 'open_agent', key: agent.id, agentId: agent.id }, at.by(agent));
    const spoilt: Settlement = {
      ...bench.settlement,
      events: async (...args) => {
        const page = await bench.settlement.events(...args);
        return {
          ...page,
          entries: page.entries.map((entry) => (entry.name === 'escrow_locked' ? broken(entry) : entry)),
        };
      },
    };
    await at.index(spoilt);
    assert.deepEqual(at.indexed, ['gap', 'agent_opened']);
    assert.equal(await at.escrow(name), undefined);
    const position = (await at.domain.space.get(positions.ref(bench.settlement.deployment.config)))!;
    assert.deepEqual([position.gaps, position.sweep], [1, '']);
  });

  it('knows stake, lease and slashes as the account has them', async () => {
    const agent = await at.newAgent();
    const key = agent.id;
    await bench.take({ type: 'add_stake', key, stakeOwner: key, amount: 20n * USDC, payments: 0 }, at.by(agent));
    await bench.take({ type: 'pay_lease', key, epochs: 2, maxAmount: 2n * USDC, payments: 1 }, at.by(agent));
    await at.index();
    assert.equal((await at.domain.space.get(stakes.ref(key)))!.stale, true);
    await at.readAccounts();
    const { stale, stake, state, paid_through } = (await at.domain.space.get(stakes.ref(key)))!;
    const { epoch } = await bench.settlement.time();
    assert.deepEqual(
      { stale, stake, state, ahead: paid_through - epoch },
      { stale: false, stake: '20000000', state: 'active', ahead: 1 },
    );

    at.advance(7 * 86_400);
    bench.net.warp({ slots: 500_000 });
    const stranger = await at.newAgent();
    await bench.take({ type: 'slash_inactive', key }, at.by(stranger));
    await at.follow();
    const slashed = (await at.domain.space.get(stakes.ref(key)))!;
    assert.deepEqual([slashed.stake, slashed.state, slashed.slashes], ['10000000', 'suspended', 1]);
  });

  it('does not take an account from before the event that asks for it', async () => {
    const agent = await at.newAgent();
    await bench.take(
      { type: 'add_stake', key: agent.id, stakeOwner: agent.id, amount: 20n * USDC, payments: 0 },
      at.by(agent),
    );
    await at.index();
    const asked: number[] = [];
    const lagging: Settlement = {
      ...bench.settlement,
      agents: async (_keys, atLeast = 0) => {
        asked.push(atLeast);
        throw new Error(`the ledger is behind slot ${atLeast}`);
      },
    };
    await assert.rejects(at.readAccounts(lagging), /behind/);
    const known = (await at.domain.space.get(stakes.ref(agent.id)))!;
    assert.deepEqual([asked, known.stale], [[known.event_slot], true]);
    await at.readAccounts();
    assert.equal((await at.domain.space.get(stakes.ref(agent.id)))!.stake, '20000000');
  });

  it('looks again at a staked agent of which nothing is heard', async () => {
    const agent = await at.newAgent();
    const key = agent.id;
    await bench.take({ type: 'add_stake', key, stakeOwner: key, amount: 20n * USDC, payments: 0 }, at.by(agent));
    await at.follow();
    await bench.take({ type: 'add_stake', key, stakeOwner: key, amount: 5n * USDC, payments: 1 }, at.by(agent));
    await at.readAccounts();
    assert.equal((await at.domain.space.get(stakes.ref(key)))!.stake, '20000000', 'read again at once');
    at.domain.clock.time += HOUR;
    await at.readAccounts();
    assert.equal((await at.domain.space.get(stakes.ref(key)))!.stake, '25000000');
  });
});

/** An event that no store takes. */
function broken(entry: SettlementEvent): SettlementEvent {
  return { ...entry, requester: undefined } as unknown as SettlementEvent;
}

/** A list that tells when one of its elements is looked at. */
function watched<T>(items: readonly T[], look: () => void): T[] {
  return new Proxy([...items], {
    get(target, field, self) {
      if (typeof field === 'string' && /^\d+$/.test(field)) look();
      return Reflect.get(target, field, self);
    },
  });
}
