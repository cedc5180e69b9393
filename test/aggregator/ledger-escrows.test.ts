import assert from 'node:assert/strict';
import { escrowView } from '../../core/aggregator/ledger/view.ts';
import { agents } from '../../core/aggregator/store/agents.ts';
import { escrowRef, escrows, flowRef, positions } from '../../core/aggregator/store/ledger.ts';
import { loadContracts } from '../../core/contracts.ts';
import { disputeRatings } from '../../core/deals/dispute-ratings.ts';
import type { Settlement } from '../../core/ledger/settlement.ts';
import { scoreAt } from '../../core/reputation/score.ts';
import { type SettlementBench, settlementBench } from '../ledger/settlement-bench.ts';
import { rpc } from '../localnet/cluster.ts';
import type { TestAgent } from './support/agent.ts';
import { hiding, LedgerDomain, type LockedDeal } from './support/ledger-domain.ts';

const HOUR = 3_600_000;
const DW = 3 * 86_400 + 1;

describe('escrows at an aggregator', function () {
  this.timeout(60_000);
  const contracts = loadContracts();
  let bench: SettlementBench;
  let at: LedgerDomain;

  before(async () => {
    bench = await settlementBench();
  });
  after(() => bench.close());
  beforeEach(async () => {
    at = await LedgerDomain.open(bench);
  });
  afterEach(() => at.close());

  /** What the API shows, which is what its schema says. */
  async function shown({ name }: LockedDeal) {
    const view = escrowView((await at.escrow(name))!);
    assert.deepEqual(contracts.problems('escrow', view), []);
    return view;
  }

  const paid = async (deal: LockedDeal) => {
    const { to_provider_usdc_micro, to_requester_usdc_micro, burnt_usdc_micro } = (await shown(deal)).payouts;
    return [to_provider_usdc_micro, to_requester_usdc_micro, burnt_usdc_micro].map(Number);
  };

  async function dispute({ name, payer }: LockedDeal, offerBps = 0): Promise<void> {
    await bench.take({ type: 'dispute', ...name, offerBps }, at.by(payer));
  }
  async function contest({ name, worker }: LockedDeal): Promise<void> {
    await bench.take({ type: 'contest', ...name, maxBps: 9_999 }, at.by(worker));
  }
  async function split({ name }: LockedDeal, seconds = DW): Promise<void> {
    at.advance(seconds);
    await bench.take({ type: 'split', ...name }, at.by(await at.newAgent(0n)));
  }
  async function signed({ deal }: LockedDeal): Promise<void> {
    await at.domain.take(deal.propose, deal.accept, deal.deliver);
  }

  /** Weight and sum of what the disputes of an agent say, and how many of each kind. */
  async function disputesOf(agent: TestAgent) {
    const { disputes, counts } = await at.standingOf(agent);
    const { conceded = 0, burnt = 0, lost = 0 } = counts;
    return { weight: disputes?.weight ?? 0, sum: disputes?.sum ?? 0, conceded, burnt, lost };
  }
  const NONE = { weight: 0, sum: 0, conceded: 0, burnt: 0, lost: 0 };

  it('show bond, offer and what a contested dispute burnt, confirmed by the account', async () => {
    const deal = await at.deliveredDeal();
    await at.follow();
    assert.deepEqual([(await shown(deal)).state, (await shown(deal)).bond_usdc_micro], ['delivered', 20_000_000]);
    await dispute(deal, 2_500);
    await at.follow();
    assert.deepEqual([(await shown(deal)).state, (await shown(deal)).offer_bps], ['disputed', 2_500]);
    await contest(deal);
    await at.index();
    assert.equal((await shown(deal)).confirmed_slot, undefined, 'confirmed before the account was read');
    await at.readAccounts();
    const contested = await shown(deal);
    assert.equal(contested.state, 'contested');
    assert.ok(contested.confirmed_slot! > 0);
    await split(deal, 0);
    await at.follow();
    assert.equal((await shown(deal)).state, 'split');
    assert.deepEqual(await paid(deal), [10_000_000, 5_000_000, 45_000_000]);
  });

  const endings: [string, (deal: LockedDeal, notary: TestAgent) => Promise<void>, object, object][] = [
    [
      'a dispute that is conceded at nothing',
      (deal) => dispute(deal).then(() => split(deal)),
      { weight: 1, sum: -50, conceded: 1 },
      {},
    ],
    [
      'one that is conceded at 60 %',
      (deal) => dispute(deal, 6_000).then(() => split(deal)),
      { weight: 1, sum: -20, conceded: 1 },
      {},
    ],
    [
      'one after which the provider gives all back',
      async (deal) => {
        await dispute(deal, 6_000);
        await bench.take({ type: 'refund', ...deal.name }, at.by(deal.worker));
      },
      { weight: 1, sum: -20, conceded: 1 },
      {},
    ],
    [
      'a burn',
      async (deal) => {
        await dispute(deal);
        await contest(deal);
        await split(deal);
      },
      { weight: 1, sum: -25, burnt: 1 },
      { weight: 1, sum: -25, burnt: 1 },
    ],
    [
      'a decision for the provider',
      async (deal, notary) => {
        await dispute(deal);
        await contest(deal);
        await bench.take({ type: 'decide', ...deal.name, forProvider: true }, at.by(notary));
        await paidOut(deal);
      },
      {},
      { weight: 1, sum: -50, lost: 1 },
    ],
    [
      'a decision for the requester',
      async (deal, notary) => {
        await dispute(deal);
        await contest(deal);
        await bench.take({ type: 'decide', ...deal.name, forProvider: false }, at.by(notary));
        await paidOut(deal);
      },
      { weight: 1, sum: -50, lost: 1 },
      {},
    ],
    [
      'a dispute that its requester takes back',
      async (deal) => {
        await dispute(deal);
        await bench.take({ type: 'approve', ...deal.name }, at.by(deal.payer));
      },
      {},
      {},
    ],
    [
      'a refund without a dispute',
      async (deal) => bench.take({ type: 'refund', ...deal.name }, at.by(deal.worker)).then(() => {}),
      {},
      {},
    ],
  ];
  for (const [what, happen, provider, requester] of endings)
    it(`count ${what} as docs/reputation.md says, once`, async () => {
      const notary = await at.newAgent(0n);
      const deal = await at.deliveredDeal({}, notary);
      await signed(deal);
      await happen(deal, notary);
      for (let times = 0; times < 2; times += 1) {
        await at.follow();
        assert.deepEqual(await disputesOf(deal.worker), { ...NONE, ...provider });
        assert.deepEqual(await disputesOf(deal.payer), { ...NONE, ...requester });
      }
    });

  /** After a decision the dues may wait for anyone to have them paid. */
  async function paidOut(deal: LockedDeal): Promise<void> {
    if ((await bench.settlement.escrow(deal.name)) === undefined) return;
    await bench.take({ type: 'split', ...deal.name }, at.by(await at.newAgent(0n)));
  }

  it('weigh a burn by what was burnt, and lower the score', async () => {
    const deal = await at.deliveredDeal();
    await signed(deal);
    await dispute(deal, 9_500);
    await contest(deal);
    await split(deal, 0);
    await at.follow();
    const burnt = (await paid(deal))[2]!;
    assert.equal(burnt, 3_000_000);
    const { weight } = await disputesOf(deal.worker);
    assert.ok(Math.abs(weight - 0.3) < 1e-9, String(weight));
    const agent = (await at.domain.space.get(agents.ref(deal.payer.id)))!;
    const epoch = at.domain.epochs.at(at.domain.clock.time);
    assert.equal(scoreAt(agent.standing, epoch), -1);
  });

  it('move nobody’s score by disputes about a lock that was not agreed', async () => {
    const deal = await at.deliveredDeal({ amount: 1n, bond: 0n });
    await signed(deal);
    await dispute(deal);
    await split(deal);
    await at.follow();
    assert.deepEqual(await disputesOf(deal.worker), NONE);
    assert.equal((await shown(deal)).state, 'split');
  });

  it('count a dispute of a private deal, for which the provider named its delivery on the ledger', async () => {
    const deal = await at.deliveredDeal();
    const receipts = [deal.deal.propose, deal.deal.accept].map(({ receipt }) => ({
      kind: 'receipt' as const,
      bytes: new Uint8Array(Buffer.from(receipt.receipt_b64, 'base64')),
    }));
    await at.domain.ingest(receipts, { ip: '127.0.0.1' });
    await dispute(deal);
    await split(deal);
    await at.follow();
    assert.deepEqual(await disputesOf(deal.worker), { ...NONE, weight: 1, sum: -50, conceded: 1 });
  });

  it('are known to be delivered, disputed and contested although no event says so', async () => {
    const deal = await at.lockedDeal();
    await signed(deal);
    await at.follow();
    const hidden = hiding(bench.settlement, ['escrow_delivered', 'escrow_disputed', 'escrow_contested']);
    const look = async () => {
      at.domain.clock.time += HOUR;
      await at.follow(hidden);
      return (await shown(deal)).state;
    };
    await bench.take({ type: 'deliver', ...deal.name, delivery: deal.deal.deliver.id }, at.by(deal.worker));
    assert.equal(await look(), 'delivered');
    await dispute(deal, 5_000);
    assert.equal(await look(), 'disputed');
    await contest(deal);
    assert.equal(await look(), 'contested');
    await split(deal, 0);
    assert.equal(await look(), 'split');
    assert.equal((await disputesOf(deal.worker)).burnt, 1);
  });

  it('whose end no event told are looked up in their own history, and counted once', async () => {
    const deal = await at.deliveredDeal();
    await signed(deal);
    await at.follow();
    await bench.take({ type: 'approve', ...deal.name }, at.by(deal.payer));
    const hidden = hiding(bench.settlement, ['escrow_approved']);
    at.domain.clock.time += HOUR;
    await at.follow(hidden);
    assert.equal((await shown(deal)).state, 'released');
    const flow = flowRef(deal.payer.id, deal.worker.id);
    const before = await at.domain.space.get(flow);
    assert.equal(before!.epochs.length, 1);
    // Now the whole history tells it as well.
    const { config } = bench.settlement.deployment;
    const position = (await at.domain.space.get(positions.ref(config)))!;
    await at.domain.space.put(positions.ref(config), { ...position, cursor: null, last: null });
    await at.follow();
    assert.deepEqual(await at.domain.space.get(flow), before);
    assert.deepEqual(await paid(deal), [40_000_000, 20_000_000, 0]);
  });

  it('are unknown only when the history that tells their end is pruned', async () => {
    const [lost, late] = [await at.deliveredDeal(), await at.deliveredDeal()];
    await at.follow();
    for (const { name, payer } of [lost, late]) await bench.take({ type: 'approve', ...name }, at.by(payer));
    at.domain.clock.time += HOUR;
    const unreadable = hiding(bench.settlement, ['escrow_approved'], 'unreadable');
    await at.follow(unreadable);
    for (const deal of [lost, late]) assert.equal((await shown(deal)).state, 'delivered');
    const pruned: Settlement = {
      ...unreadable,
      escrowEvents: (name, ...rest) =>
        name.conversation === late.name.conversation
          ? bench.settlement.escrowEvents(name, ...rest)
          : hiding(bench.settlement, ['escrow_approved'], 'pruned').escrowEvents(name, ...rest),
    };
    at.domain.clock.time += HOUR;
    await at.follow(pruned);
    assert.deepEqual([(await shown(lost)).state, (await shown(late)).state], ['unknown', 'released']);
  });

  it('pay what had to wait later, and count it then', async () => {
    const deal = await at.deliveredDeal();
    await signed(deal);
    await at.follow();
    const name = deal.name;
    const { payee } = (await bench.settlement.escrow(name))!;
    await bench.net.faucet.usdc(deal.worker.id, 1n);
    await freeze(payee, true);
    await bench.take({ type: 'approve', ...name }, at.by(deal.payer));
    await at.follow();
    const waiting = await shown(deal);
    assert.deepEqual([waiting.state, Number(waiting.waiting_usdc_micro)], ['released', 40_000_000]);
    assert.deepEqual(await paid(deal), [0, 20_000_000, 0]);
    await freeze(payee, false);
    await split(deal, 0);
    await at.follow();
    const done = await shown(deal);
    assert.deepEqual(
      [done.state, done.waiting_usdc_micro, Number(done.released_usdc_micro)],
      ['released', undefined, 40_000_000],
    );
  });

  /** As the issuer of the token can. */
  async function freeze(account: string, frozen: boolean): Promise<void> {
    const { value } = (await rpc(bench.net.url, 'getAccountInfo', [account, { encoding: 'base64' }])).result;
    const data = Buffer.from(value.data[0], 'base64');
    data[108] = frozen ? 2 : 1;
    const { lamports, owner } = value;
    await rpc(bench.net.url, 'localnet_setAccount', [account, { lamports, owner, data: data.toString('base64') }]);
  }

  it('that were stored before accounts were read are read once, with what they lack', async () => {
    const deal = await at.deliveredDeal();
    await at.follow();
    const ref = escrowRef(deal.name);
    const { bond, event_slot, read_slot, read_at, ...old } = (await at.domain.space.get(ref))!;
    await at.domain.space.put(ref, { ...old, state: 'locked', delivered_at: null, delivery: null, stale: false });
    const { config } = bench.settlement.deployment;
    const { format, ...position } = (await at.domain.space.get(positions.ref(config)))!;
    await at.domain.space.put(positions.ref(config), position);
    assert.equal((await shown(deal)).bond_usdc_micro, 0);
    await at.follow();
    const { state, bond_usdc_micro, delivery } = await shown(deal);
    assert.deepEqual([state, bond_usdc_micro, delivery], ['delivered', 20_000_000, deal.deal.deliver.id]);
  });

  it('are read a hundred at a time, those not looked at for the longest time first', async () => {
    const first = await at.lockedDeal();
    await at.follow();
    const row = (await at.escrow(first.name))!;
    const { space, clock } = at.domain;
    for (let n = 0; n < 150; n += 1) {
      const conversation_id = n.toString(16).padStart(32, '0');
      await space.put(escrowRef({ ...first.name, conversation: conversation_id }), {
        ...row,
        conversation_id,
        read_at: clock.time + n,
      });
    }
    const open = await space.count(escrows, 'stale');
    const calls: number[] = [];
    const counting: Settlement = {
      ...bench.settlement,
      escrows: (names, atLeast) => {
        calls.push(names.length);
        return bench.settlement.escrows(names, atLeast);
      },
    };
    clock.time += HOUR;
    await at.readAccounts(counting);
    assert.deepEqual(calls, [100], 'one batch of what nothing was heard of');
    await at.readAccounts(counting);
    assert.deepEqual(calls, [100, open - 100]);
    await at.readAccounts(counting);
    assert.deepEqual(calls, [100, open - 100], 'read again before its time');
  });

  it('say nothing of a deal that is not there', () => {
    const record = { conversation: 'c', pair: ['a', 'b'], escrows: [], rated: [] } as any;
    assert.deepEqual(disputeRatings({ ...record, offers: [null, null], accepts: [null, null] }), []);
  });
});
