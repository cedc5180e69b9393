import assert from 'node:assert/strict';
import { lookAtLapsed } from '../../core/aggregator/ingest/lapsed-deals.ts';
import { readStale } from '../../core/aggregator/ledger/account-reader.ts';
import { Indexer } from '../../core/aggregator/ledger/indexer.ts';
import { sweepAfterGap } from '../../core/aggregator/ledger/sweep.ts';
import { agents } from '../../core/aggregator/store/agents.ts';
import { escrows, ledgerEvents, positions, stakes } from '../../core/aggregator/store/ledger.ts';
import { ledgerSigner } from '../../core/identity/identity.ts';
import type { Settlement } from '../../core/ledger/settlement.ts';
import type { EscrowName } from '../../core/ledger/settlement-steps.ts';
import { silentLog } from '../../core/log.ts';
import { type SettlementBench, SOL, settlementBench, USDC } from '../ledger/settlement-bench.ts';
import { type SignedDeal, signDeal, TestAgent } from './support/agent.ts';
import { type Domain, openDomain } from './support/domain.ts';

const HOUR = 3_600_000;
const never = new AbortController().signal;

describe('the settlement program in the eyes of an aggregator', function () {
  this.timeout(60_000);
  let bench: SettlementBench;
  let domain: Domain;
  let indexed: string[];
  let count = 0;

  before(async () => {
    bench = await settlementBench({ unlockSecs: 7 * 86_400 });
  });
  after(() => bench.close());
  beforeEach(async () => {
    domain = await openDomain();
    domain.clock.time = (await bench.settlement.time()).unixSeconds * 1000;
    indexed = [];
    await indexer().run(never);
    indexed.length = 0;
  });
  afterEach(() => domain.store.close());

  function indexer(settlement: Settlement = bench.settlement): Indexer {
    const { space, epochs, dropped } = domain;
    return new Indexer({
      ...{ space, epochs, settlement },
      log: silentLog,
      indexed: (labels) => void indexed.push(labels!['event']!),
      dropped: (labels) => void dropped.push(labels!['reason']!),
    });
  }

  async function newAgent(usdc = 100n * USDC): Promise<TestAgent> {
    count += 1;
    const agent = new TestAgent(`on the ledger ${count}`, () => domain.clock.now());
    await bench.net.faucet.sol(agent.id, SOL);
    if (usdc > 0n) await bench.net.faucet.usdc(agent.id, usdc);
    return agent;
  }

  /** A deal both signed, with its amount locked for the id of its ACCEPT unless `terms` says another. */
  async function lockedDeal(
    terms?: string,
  ): Promise<{ deal: SignedDeal; payer: TestAgent; worker: TestAgent; name: EscrowName }> {
    const [payer, worker] = [await newAgent(), await newAgent(0n)];
    const deal = signDeal(payer, worker);
    const name = { requester: payer.id, provider: worker.id, conversation: deal.conversation };
    const deadline = Math.floor(domain.clock.time / 1000) + 3700;
    const rest = { notary: null, amount: 40n * USDC, deadline, reviewSecs: 7200, disputeBps: 5000 };
    await bench.take({ type: 'lock', ...name, ...rest, terms: terms ?? deal.accept.id }, ledgerSigner(payer.identity));
    return { deal, payer, worker, name };
  }

  function advance(seconds: number): void {
    bench.net.warp({ seconds });
    domain.clock.time += seconds * 1000;
  }

  const by = (agent: TestAgent) => ledgerSigner(agent.identity);
  const standingOf = async (agent: TestAgent) => (await domain.space.get(agents.ref(agent.id)))!.standing;

  it('settled money makes a rating weigh more, and the rating waits for it', async () => {
    const { deal, payer, worker, name } = await lockedDeal();
    const poor = { payer: await newAgent(0n), worker: await newAgent(0n) };
    const free = signDeal(poor.payer, poor.worker);
    await indexer().run(never);
    await domain.take(deal.propose, deal.accept, deal.deliver, payer.feedback(worker, deal.conversation, 80));
    await domain.take(free.propose, free.accept, free.deliver, poor.payer.feedback(poor.worker, free.conversation, 80));
    assert.deepEqual((await standingOf(worker)).scores, [], 'counted before the escrow closed');

    await bench.take({ type: 'deliver', ...name, delivery: deal.deliver.id }, by(worker));
    await bench.take({ type: 'approve', ...name }, by(payer));
    await indexer().run(never);
    assert.deepEqual(indexed, ['escrow_locked', 'escrow_delivered', 'escrow_approved']);
    const [paid, unpaid] = [await standingOf(worker), await standingOf(poor.worker)];
    assert.deepEqual([paid.scores, unpaid.scores], [[80], [80]]);
    const expected = (1 + Math.log2(1 + 40 / 10)) * 0.25;
    assert.ok(Math.abs(paid.positive.weight - expected) < 1e-9, `${paid.positive.weight} is not ${expected}`);
    assert.equal(unpaid.positive.weight, 0.25);
    const [{ value: escrow }] = (await domain.space.page(escrows, { index: 'agent', prefix: [worker.id] })) as any;
    assert.deepEqual([escrow.state, escrow.released], ['released', '40000000']);
  });

  it('an abandoned escrow counts against its provider a day later, once', async () => {
    const { deal, payer, worker, name } = await lockedDeal();
    await domain.take(deal.propose, deal.accept);
    advance(3701);
    await bench.take({ type: 'reclaim', ...name }, by(payer));
    await indexer().run(never);
    assert.equal((await standingOf(worker)).counts.abandoned, 0);
    domain.clock.time += 25 * HOUR;
    for (let times = 0; times < 2; times += 1) {
      await lookAtLapsed({ ...domain, dropped: () => {} }, domain.clock.time, never);
      assert.equal((await standingOf(worker)).counts.abandoned, 1);
    }
    domain.clock.time -= 25 * HOUR;
  });

  it('money locked for something else and taken back counts against nobody', async () => {
    const { deal, payer, worker, name } = await lockedDeal('ee'.repeat(32));
    await domain.take(deal.propose, deal.accept);
    advance(3701);
    await bench.take({ type: 'reclaim', ...name }, by(payer));
    await indexer().run(never);
    domain.clock.time += 25 * HOUR;
    await lookAtLapsed({ ...domain, dropped: () => {} }, domain.clock.time, never);
    assert.equal((await standingOf(worker)).counts.abandoned, 0);
    domain.clock.time -= 25 * HOUR;
  });

  it('takes each event once, however often it is interrupted', async () => {
    const { payer, name } = await lockedDeal();
    await bench.take({ type: 'approve', ...name }, by(payer));
    const before = await domain.space.page(ledgerEvents, { limit: 200 });
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
      await indexer(settlement).run(stopping.signal);
    }
    // Two processes at once share the rest.
    await Promise.all([indexer().run(never), indexer().run(never)]);
    const after = await domain.space.page(ledgerEvents, { limit: 200 });
    const names = after.map(({ record }) => `${record.signature} ${record.ordinal}`);
    assert.equal(new Set(names).size, names.length);
    assert.equal(after.length, before.length + 2);
  });

  it('knows stake, lease and slashes as the account has them', async () => {
    const agent = await newAgent();
    const key = agent.id;
    await bench.take({ type: 'add_stake', key, stakeOwner: key, amount: 20n * USDC }, by(agent));
    await bench.take({ type: 'pay_lease', key, epochs: 2, maxAmount: 2n * USDC }, by(agent));
    await indexer().run(never);
    assert.equal((await domain.space.get(stakes.ref(key)))!.stale, true);
    await readStale(domain.space, bench.settlement, never);
    const { stale, stake, state, paid_through } = (await domain.space.get(stakes.ref(key)))!;
    const { epoch } = await bench.settlement.time();
    assert.deepEqual(
      { stale, stake, state, ahead: paid_through - epoch },
      { stale: false, stake: '20000000', state: 'active', ahead: 1 },
    );

    advance(7 * 86_400);
    bench.net.warp({ slots: 500_000 });
    const stranger = await newAgent();
    await bench.take({ type: 'slash_inactive', key }, by(stranger));
    await indexer().run(never);
    await readStale(domain.space, bench.settlement, never);
    const slashed = (await domain.space.get(stakes.ref(key)))!;
    assert.deepEqual([slashed.stake, slashed.state, slashed.slashes], ['10000000', 'suspended', 1]);
  });

  it('after a gap reads every account anew and says what cannot be known', async () => {
    const { deal, payer, name } = await lockedDeal();
    const staker = await newAgent();
    await domain.take(deal.propose, staker.beacon('staker'));
    await indexer().run(never);
    // What happens now is lost to the history.
    await bench.take({ type: 'approve', ...name }, by(payer));
    const stake = { key: staker.id, stakeOwner: staker.id, amount: 15n * USDC };
    await bench.take({ type: 'add_stake', ...stake }, by(staker));
    const { slot } = await bench.settlement.time();
    const { cursor } = await lastPage(bench.settlement);
    let told = false;
    const pruned: Settlement = {
      ...bench.settlement,
      events: async (after, limit) => {
        if (told) return bench.settlement.events(after, limit);
        told = true;
        return { entries: [{ name: 'gap', reason: 'pruned', slot, signature: null }], cursor };
      },
    };
    await indexer(pruned).run(never);
    const { config } = bench.settlement.deployment;
    assert.equal((await domain.space.get(positions.ref(config)))!.sweep, '');
    await sweepAfterGap(domain.space, config, never);
    await readStale(domain.space, bench.settlement, never);
    const position = (await domain.space.get(positions.ref(config)))!;
    assert.deepEqual([position.sweep, position.gaps], [null, 1]);
    assert.equal((await domain.space.get(stakes.ref(staker.id)))!.stake, '15000000');
    const [{ value: escrow }] = (await domain.space.page(escrows, { index: 'agent', prefix: [payer.id] })) as any;
    assert.equal(escrow.state, 'unknown');
  });
});

async function lastPage(settlement: Settlement): Promise<{ cursor: string | undefined }> {
  let cursor: string | undefined;
  for (;;) {
    const page = await settlement.events(cursor, 1000);
    cursor = page.cursor;
    if (page.entries.length === 0) return { cursor };
  }
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
