import assert from 'node:assert/strict';
import { escrowView } from '../../core/aggregator/ledger/view.ts';
import { escrowRef, escrows, positions } from '../../core/aggregator/store/ledger.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import type { Settlement } from '../../core/ledger/settlement.ts';
import { type SettlementBench, settlementBench } from '../ledger/settlement-bench.ts';
import { rpc } from '../localnet/cluster.ts';
import { hiding, LedgerDomain, type LockedDeal } from './support/ledger-domain.ts';

const HOUR = 3_600_000;

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

  it('show bond, offer and what a contested dispute burnt, confirmed by the account', async () => {
    const deal = await at.deliveredDeal();
    await at.follow();
    assert.deepEqual([(await shown(deal)).state, (await shown(deal)).bond_usdc_micro], ['delivered', 20_000_000]);
    await at.dispute(deal, 2_500);
    await at.follow();
    assert.deepEqual([(await shown(deal)).state, (await shown(deal)).offer_bps], ['disputed', 2_500]);
    await at.contest(deal);
    await at.index();
    assert.equal((await shown(deal)).confirmed_slot, undefined, 'confirmed before the account was read');
    await at.readAccounts();
    const contested = await shown(deal);
    assert.equal(contested.state, 'contested');
    assert.ok(contested.confirmed_slot! > 0);
    await at.split(deal, 0);
    await at.follow();
    assert.equal((await shown(deal)).state, 'split');
    assert.deepEqual(await paid(deal), [10_000_000, 5_000_000, 45_000_000]);
  });

  it('are known to be delivered, disputed and contested although no event says so', async () => {
    const deal = await at.lockedDeal();
    await at.report(deal);
    await at.follow();
    const hidden = hiding(bench.settlement, ['escrow_delivered', 'escrow_disputed', 'escrow_contested']);
    const look = async () => {
      at.domain.clock.time += HOUR;
      await at.follow(hidden);
      return (await shown(deal)).state;
    };
    await bench.take({ type: 'deliver', ...deal.name, delivery: deal.deal.deliver.id }, at.by(deal.worker));
    assert.equal(await look(), 'delivered');
    await at.dispute(deal, 5_000);
    assert.equal(await look(), 'disputed');
    await at.contest(deal);
    assert.equal(await look(), 'contested');
    await at.split(deal, 0);
    assert.equal(await look(), 'split');
    assert.equal((await at.standingOf(deal.worker)).counts.burnt, 1);
  });

  it('whose end no event told are looked up in their own history, and counted once', async () => {
    const deal = await at.deliveredDeal();
    await at.report(deal);
    await at.follow();
    await bench.take({ type: 'approve', ...deal.name }, at.by(deal.payer));
    const hidden = hiding(bench.settlement, ['escrow_approved']);
    at.domain.clock.time += HOUR;
    await at.follow(hidden);
    assert.equal((await shown(deal)).state, 'released');
    const before = await at.pairOf(deal.payer, deal.worker);
    assert.equal(before!.paid, '40000000');
    // Now the whole history tells it as well.
    const { config } = bench.settlement.deployment;
    const position = (await at.domain.space.get(positions.ref(config)))!;
    await at.domain.space.put(positions.ref(config), { ...position, cursor: null, last: null });
    await at.follow();
    assert.deepEqual(await at.pairOf(deal.payer, deal.worker), before);
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
    await at.report(deal);
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
    await at.split(deal, 0);
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
});
