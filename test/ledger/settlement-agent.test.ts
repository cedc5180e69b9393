import assert from 'node:assert/strict';
import { envelopeStatement, ownerStatement, ownerText } from '../../adapters/ledger-solana/program/index.ts';
import type { Signer } from '../../core/ledger/ledger.ts';
import { leaseStatus } from '../../core/protocol/settlement/lease-status.ts';
import { header, idOf, treeOf } from '../program/support/envelopes.ts';
import { type SettlementBench, SOL, settlementBench, USDC } from './settlement-bench.ts';

const NUMBERS = {
  epochSecs: 60,
  challengeSecs: 300,
  responseSecs: 180,
  responseSlots: 10,
  unlockSecs: 420,
  inactiveSlots: 10,
};

describe('an agent through the ledger port', function () {
  this.timeout(90_000);
  let bench: SettlementBench;
  let key: Signer;
  let owner: Signer;
  before(async () => {
    bench = await settlementBench(NUMBERS);
    [key, owner] = [await bench.wallet(), await bench.wallet()];
  });
  after(() => bench.close());

  const agent = async (of: Signer) => (await bench.settlement.agent(of.address))!;
  const epoch = async () => (await bench.settlement.time()).epoch;
  const announced = async (accuser: Signer, id: string) => {
    await bench.take({ type: 'announce', key: key.address, id }, accuser);
    bench.net.warp({ slots: bench.settlement.numbers.announceSlots });
  };
  const nextEpoch = () => bench.net.warp({ seconds: 60, slots: 150 });

  it('has the numbers of its deployment', () => {
    const { numbers } = bench.settlement;
    assert.equal(numbers.epochSecs, 60);
    assert.equal(numbers.minStake, 10n * USDC);
    assert.equal(numbers.disputeSecs, 3 * 86_400);
  });

  it('does not exist before its first step, which opens it', async () => {
    assert.equal(await bench.settlement.agent(key.address), undefined);
    assert.deepEqual((await bench.settlement.agents([key.address, owner.address])).value, [undefined, undefined]);
    assert.equal(leaseStatus(undefined, bench.settlement.numbers, await epoch()), 'none');
    await bench.take({ type: 'pay_lease', key: key.address, epochs: 3, maxAmount: 3n * USDC, payments: 0 }, key);
    const opened = await agent(key);
    assert.deepEqual(
      [opened.key, opened.agentId, opened.state, opened.stakeOwner, opened.duties, opened.paidThrough, opened.payments],
      [key.address, key.address, 'none', null, false, (await epoch()) + 2, 1],
    );
    assert.equal(leaseStatus(opened, bench.settlement.numbers, await epoch()), 'active');
    assert.equal(await bench.ledger.usdc(bench.settlement.deployment.treasury), 3n * USDC);
  });

  it('can say later which agent it is', async () => {
    await bench.take({ type: 'open_agent', key: key.address, agentId: owner.address }, key);
    assert.equal((await agent(key)).agentId, owner.address);
    await bench.take({ type: 'open_agent', key: key.address, agentId: key.address }, key);
  });

  it('stakes, submits, skips, and is paid back', async () => {
    const { take } = bench;
    const stake = { type: 'add_stake', key: key.address, stakeOwner: owner.address, amount: 20n * USDC } as const;
    await take({ ...stake, payments: 1 }, owner, key);
    await assert.rejects(take({ ...stake, payments: 1 }, owner), {
      code: 'conflict',
      message: /a number of payments that has grown says that one was taken/,
    });
    const { start } = await agent(key);
    assert.equal(start, (await epoch()) + 1);
    nextEpoch();
    nextEpoch();
    nextEpoch();
    const { root } = treeOf([idOf(header({ sender: key.address, epoch: BigInt(start + 1), seq: 1 }))]);
    const batch = { epoch: start + 1, count: 1, root: root.toString('hex') };
    await take({ type: 'submit_batch', key: key.address, ...batch }, key);
    const after = await agent(key);
    assert.deepEqual([after.last, after.skipped, after.duties, after.stake], [start + 1, [start], true, 20n * USDC]);
    assert.deepEqual(
      after.batches.map(({ submittedAt, slot, ...rest }) => rest),
      [batch],
    );
    await assert.rejects(take({ type: 'submit_batch', key: key.address, ...batch }, key), { code: 'conflict' });

    await take({ type: 'request_unlock', key: key.address }, owner);
    await assert.rejects(take({ type: 'withdraw', key: key.address, stakeOwner: owner.address }, owner), {
      code: 'deadline_not_reached',
    });
    await take({ type: 'resume', key: key.address, stakeOwner: owner.address }, key, owner);
    await take({ type: 'request_unlock', key: key.address }, key);
    const { until } = await agent(key);
    for (let at = after.last + 1; at <= until; at++) {
      while ((await epoch()) <= at) nextEpoch();
      await take({ type: 'submit_batch', key: key.address, epoch: at, count: 0, root: '00'.repeat(32) }, key);
    }
    bench.net.warp({ seconds: 500, slots: 1 });
    await take({ type: 'withdraw', key: key.address, stakeOwner: owner.address }, owner);
    assert.equal(await bench.ledger.usdc(owner.address), 100n * USDC);
    assert.deepEqual([(await agent(key)).state, (await agent(key)).stakeOwner], ['none', null]);
  });

  it('is accused with its own signature, answers, is convicted when it cannot', async () => {
    const { take, settlement } = bench;
    const accuser = await bench.wallet(0n);
    const { payments } = await agent(key);
    const stake = { stakeOwner: owner.address, amount: 40n * USDC, payments };
    await take({ type: 'add_stake', key: key.address, ...stake }, owner, key);
    const { start } = await agent(key);
    while ((await epoch()) <= start) nextEpoch();
    const headers = [1, 2].map((seq) => header({ sender: key.address, epoch: BigInt(start), seq }));
    const tree = treeOf(headers.map(idOf));
    await take(
      { type: 'submit_batch', key: key.address, epoch: start, count: 2, root: tree.root.toString('hex') },
      key,
    );

    const signed = (bytes: Uint8Array) => key.sign(envelopeStatement(settlement.deployment.network, bytes));
    const shown = headers[1]!;
    const id = idOf(shown).toString('hex');
    const accusation = { key: key.address, header: shown, signature: signed(shown) };
    await assert.rejects(take({ type: 'accuse', ...accusation }, accuser), {
      code: 'not_found',
      message: /Announce the accusation first/,
    });
    await announced(accuser, id);
    await take({ type: 'accuse', ...accusation }, accuser);
    const open = (await settlement.accusation(key.address, id))!;
    assert.deepEqual([open.accuser, open.index, open.count, open.epoch], [accuser.address, 1, 2, start]);
    assert.equal((await agent(key)).open, 1);
    const named = { key: key.address, id, accuser: accuser.address };
    await take({ type: 'answer', ...named, siblings: tree.siblings(1) }, key);
    assert.equal(await settlement.accusation(key.address, id), undefined);

    const hidden = header({ sender: key.address, epoch: BigInt(start), seq: 1, variant: 7 });
    await announced(accuser, idOf(hidden).toString('hex'));
    await take({ type: 'accuse', key: key.address, header: hidden, signature: signed(hidden) }, accuser);
    const other = { leaf: idOf(headers[0]!), siblings: tree.siblings(0) };
    const found = { ...named, id: idOf(hidden).toString('hex') };
    await take({ type: 'convict', ...found, other }, owner);
    const slashed = await agent(key);
    assert.deepEqual([slashed.state, slashed.stake, slashed.open], ['suspended', 20n * USDC, 0]);
    assert.equal(await bench.ledger.usdc(accuser.address), 10n * USDC);
  });

  it('is announced once, and the announcement is taken back with its rent', async () => {
    const accuser = await bench.wallet(0n);
    const announcement = { key: key.address, id: 'ee'.repeat(32) };
    await bench.take({ type: 'announce', ...announcement }, accuser);
    await assert.rejects(bench.take({ type: 'announce', ...announcement }, accuser), { code: 'conflict' });
    const held = (await bench.ledger.balances(accuser.address)).lamports;
    await bench.take({ type: 'retract', ...announcement }, accuser);
    assert.ok((await bench.ledger.balances(accuser.address)).lamports > held);
    await assert.rejects(bench.take({ type: 'retract', ...announcement }, accuser), { code: 'not_found' });
  });

  it('that stops submitting is slashed by anyone', async () => {
    const [idle, stranger] = [await bench.wallet(), await bench.wallet(0n)];
    await bench.take(
      { type: 'add_stake', key: idle.address, stakeOwner: idle.address, amount: 10n * USDC, payments: 0 },
      idle,
    );
    const slash = { type: 'slash_inactive', key: idle.address } as const;
    await assert.rejects(bench.take(slash, stranger), { code: 'deadline_not_reached' });
    for (let passed = 0; passed < 6; passed++) nextEpoch();
    await bench.take(slash, stranger);
    assert.equal(await bench.ledger.usdc(stranger.address), 2_500_000n);
  });

  it('is linked to its owner once, by both signatures', async () => {
    const { settlement, take } = bench;
    const payer = await bench.wallet(0n);
    const { unixSeconds } = await settlement.time();
    const claim = {
      key: key.address,
      agentId: key.address,
      owner: owner.address,
      nonce: Buffer.alloc(8, 7),
      expires: unixSeconds + 600,
    };
    const said = { ...claim, network: settlement.deployment.network, expires: BigInt(claim.expires) };
    const signatures = {
      ownerSignature: owner.sign(Buffer.from(ownerText(said))),
      keySignature: key.sign(ownerStatement(said)),
    };
    assert.equal(await settlement.ownerLink(key.address), undefined);
    await take({ type: 'claim_owner', ...claim, ...signatures }, payer);
    const link = (await settlement.ownerLink(key.address))!;
    assert.deepEqual([link.key, link.agentId, link.owner], [key.address, key.address, owner.address]);
    await assert.rejects(take({ type: 'claim_owner', ...claim, ...signatures }, payer), { code: 'conflict' });
    const forged = { ...signatures, ownerSignature: payer.sign(Buffer.from(ownerText(said))) };
    await assert.rejects(take({ type: 'claim_owner', ...claim, ...forged }, payer), { name: 'MeshError' });
  });

  it('a key that must sign and is not here is named', async () => {
    const stranger = await bench.wallet();
    const step = { type: 'submit_batch', key: key.address, epoch: 1, count: 0, root: '00'.repeat(32) } as const;
    await assert.rejects(bench.take(step, stranger), {
      code: 'forbidden',
      message: `This step must be signed by ${key.address}, whose key is not here.`,
    });
    const lease = { type: 'pay_lease', key: stranger.address, epochs: 1, maxAmount: USDC, payments: 0 } as const;
    await assert.rejects(bench.take(lease, owner), { code: 'not_found' });
    const mine = { ...lease, key: key.address, payments: (await agent(key)).payments };
    await assert.rejects(bench.take({ ...mine, maxAmount: 1n }, owner), { code: 'conflict' });
    const poor = await bench.wallet(1n, SOL);
    await assert.rejects(bench.take({ ...mine, maxAmount: 100n * USDC }, poor), {
      code: 'insufficient_funds',
    });
  });
});
