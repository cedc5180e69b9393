import assert from 'node:assert/strict';
import type { MeshError } from '../../core/contracts/errors.ts';
import type { EscrowStep } from '../../core/protocol/settlement/steps.ts';
import { type SettlementBench, SOL, settlementBench, USDC } from './settlement-bench.ts';

const DELIVERY = 'cd'.repeat(32);

describe('an escrow through the ledger port', function () {
  this.timeout(90_000);
  let bench: SettlementBench;
  before(async () => {
    bench = await settlementBench();
  });
  after(() => bench.close());

  it('is locked, read back in every field, delivered and approved', async () => {
    const { settlement, ledger } = bench;
    const [requester, provider, notary] = [await bench.wallet(), await bench.wallet(0n), await bench.wallet(0n)];
    const name = await bench.lock(requester, provider, { notary: notary.address });
    const locked = (await settlement.escrow(name))!;
    const { unixSeconds } = await settlement.time();
    assert.ok(Math.abs(locked.lockedAt - unixSeconds) < 10);
    assert.ok(Math.abs(locked.deadline - unixSeconds - 3600) < 10);
    const { address, vault, payee, lockedAt, deadline, ...facts } = locked;
    assert.deepEqual(facts, {
      ...name,
      state: 'locked',
      notary: notary.address,
      terms: 'ab'.repeat(32),
      delivery: null,
      amount: 5n * USDC,
      bond: 2n * USDC,
      reviewSecs: 7200,
      deliveredAt: null,
      disputedAt: null,
      disputeBps: 0,
      offerBps: 0,
    });
    assert.equal(new Set([address, vault, payee]).size, 3);
    assert.equal(await ledger.usdc(requester.address), 93n * USDC);

    await bench.take({ type: 'deliver', ...name, delivery: DELIVERY }, provider);
    const delivered = (await settlement.escrow(name))!;
    assert.deepEqual([delivered.state, delivered.delivery], ['delivered', DELIVERY]);
    // The provider never had a token account: whoever releases makes it.
    await bench.take({ type: 'approve', ...name }, requester);
    assert.equal(await settlement.escrow(name), undefined);
    assert.equal(await ledger.usdc(provider.address), 5n * USDC);
    assert.equal(await ledger.usdc(requester.address), 95n * USDC);
  });

  it('every other end pays whom the rules say', async () => {
    const { ledger, net } = bench;
    const anyone = await bench.wallet(0n);
    const cases: [
      end: EscrowStep['type'],
      by: 'requester' | 'provider' | 'anyone',
      delivered: boolean,
      secs: number,
      dispute: boolean,
      paid: bigint,
    ][] = [
      ['refund', 'provider', false, 0, false, 0n],
      ['reclaim', 'anyone', false, 3601, false, 0n],
      ['claim', 'anyone', true, 7201, false, 5n * USDC],
      ['split', 'anyone', true, 3 * 86_400 + 1, true, 2_500_000n],
    ];
    for (const [end, by, delivered, secs, dispute, paid] of cases) {
      const [requester, provider] = [await bench.wallet(), await bench.wallet(0n)];
      const name = await bench.lock(requester, provider);
      if (delivered) await bench.take({ type: 'deliver', ...name, delivery: DELIVERY }, provider);
      if (dispute) await bench.take({ type: 'dispute', ...name, offerBps: 5_000 }, requester);
      const signer = { requester, provider, anyone }[by];
      if (secs > 0) {
        const early = bench.take({ type: end, ...name } as EscrowStep, signer);
        await assert.rejects(early, { name: 'MeshError', code: 'deadline_not_reached' });
        net.warp({ seconds: secs });
      }
      await bench.take({ type: end, ...name } as EscrowStep, signer);
      const held = [await ledger.usdc(requester.address), await ledger.usdc(provider.address)];
      assert.deepEqual(held, [100n * USDC - paid, paid], end);
    }
  });

  it('a notary decides what is contested, and split pays it', async () => {
    const [requester, provider, notary] = [await bench.wallet(), await bench.wallet(0n), await bench.wallet(0n)];
    const name = await bench.lock(requester, provider, { notary: notary.address });
    const decide = { type: 'decide', ...name, forProvider: false } as const;
    await bench.take({ type: 'deliver', ...name, delivery: DELIVERY }, provider);
    await assert.rejects(bench.take({ type: 'approve', ...name }, notary), { code: 'forbidden' });
    await assert.rejects(bench.take(decide, notary), { code: 'conflict' });
    await bench.take({ type: 'dispute', ...name, offerBps: 2_000 }, requester);
    await assert.rejects(bench.take(decide, notary), { code: 'conflict', message: /decides only what is contested/ });
    await bench.take({ type: 'contest', ...name, maxBps: 9_999 }, provider);
    const contested = (await bench.settlement.escrow(name))!;
    assert.deepEqual([contested.state, contested.offerBps, contested.bond], ['contested', 2_000, 2n * USDC]);
    await assert.rejects(bench.take({ type: 'split', ...name }, notary), { code: 'deadline_not_reached' });
    await bench.take(decide, notary);
    assert.equal((await bench.settlement.escrow(name))!.state, 'splitting');
    await assert.rejects(bench.take({ type: 'refund', ...name }, provider), {
      code: 'conflict',
      message: /split pays/,
    });
    await bench.take({ type: 'split', ...name }, notary);
    const held = [await bench.ledger.usdc(requester.address), await bench.ledger.usdc(provider.address)];
    assert.deepEqual(held, [99n * USDC, USDC]);
  });

  it('a contest without a notary burns what is disputed, and each event tells its part', async () => {
    const [requester, provider] = [await bench.wallet(), await bench.wallet(0n)];
    const name = await bench.lock(requester, provider);
    await bench.take({ type: 'deliver', ...name, delivery: DELIVERY }, provider);
    await bench.take({ type: 'dispute', ...name, offerBps: 0 }, requester);
    await assert.rejects(bench.take({ type: 'dispute', ...name, offerBps: 0 }, requester), {
      code: 'invalid_request',
      message: /more than the offer that stands/,
    });
    await bench.take({ type: 'dispute', ...name, offerBps: 4_000 }, requester);
    await assert.rejects(bench.take({ type: 'contest', ...name, maxBps: 3_999 }, provider), {
      code: 'conflict',
      message: /let it stand, or contest with a higher limit/,
    });
    await bench.take({ type: 'contest', ...name, maxBps: 4_000 }, provider);
    await bench.take({ type: 'split', ...name }, provider);
    const held = [await bench.ledger.usdc(requester.address), await bench.ledger.usdc(provider.address)];
    assert.deepEqual(held, [93n * USDC + 800_000n, 2n * USDC]);
    const { entries } = await bench.settlement.escrowEvents(name, undefined, 100);
    const told = entries.map((entry) => {
      if (entry.name === 'escrow_split') return [entry.name, entry.toProvider, entry.toRequester, entry.burnt];
      if (entry.name === 'escrow_locked') return [entry.name, entry.bond, entry.disputeBps];
      return [entry.name, ...('offerBps' in entry ? [entry.offerBps] : [])];
    });
    assert.deepEqual(told, [
      ['escrow_locked', 2n * USDC, 0],
      ['escrow_delivered'],
      ['escrow_disputed', 0],
      ['escrow_disputed', 4_000],
      ['escrow_contested', 4_000],
      ['escrow_split', 2n * USDC, 800_000n, 4_200_000n],
    ]);
  });

  it('a dispute that comes too late is refused with what is allowed instead', async () => {
    const [requester, provider] = [await bench.wallet(), await bench.wallet(0n)];
    const name = await bench.lock(requester, provider, { disputeBps: 3_000 });
    await bench.take({ type: 'deliver', ...name, delivery: DELIVERY }, provider);
    await assert.rejects(bench.take({ type: 'dispute', ...name, offerBps: 2_999 }, requester), {
      code: 'invalid_request',
      message: /at least the agreed lowest share/,
    });
    bench.net.warp({ seconds: 7_201 });
    await assert.rejects(bench.take({ type: 'dispute', ...name, offerBps: 3_000 }, requester), {
      code: 'deadline_passed',
      message: /anyone may claim/,
    });
    await bench.take({ type: 'claim', ...name }, provider);
    assert.equal(await bench.ledger.usdc(requester.address), 95n * USDC);
  });

  it('a release goes to the account the provider named', async () => {
    const [requester, provider, friend] = [await bench.wallet(), await bench.wallet(0n), await bench.wallet(1n)];
    const name = await bench.lock(requester, provider);
    const other = await bench.lock(requester, friend);
    const payee = (await bench.settlement.escrow(other))!.payee;
    await bench.take({ type: 'set_payee', ...name, payee }, provider);
    await bench.take({ type: 'approve', ...name }, requester);
    assert.equal(await bench.ledger.usdc(friend.address), 5n * USDC + 1n);
  });

  it('what cannot be is refused before anything is signed, in our codes', async () => {
    const [requester, provider, stranger] = [await bench.wallet(), await bench.wallet(0n), await bench.wallet()];
    const poor = await bench.wallet(100n * USDC, 4_000_000n);
    const broke = await bench.wallet(USDC);
    const name = await bench.lock(requester, provider);
    const none = { ...name, conversation: 'ff'.repeat(16) };
    const { unixSeconds } = await bench.settlement.time();
    const terms = { notary: null, amount: 5n * USDC, reviewSecs: 7200, terms: 'ab'.repeat(32) };
    const shares = { bond: USDC, disputeBps: 0 };
    const lock = { type: 'lock', ...name, ...terms, ...shares, deadline: unixSeconds + 3600 } as const;
    const refused: [code: string, step: EscrowStep, signer: typeof requester][] = [
      ['escrow_exists', lock, requester],
      ['escrow_not_found', { type: 'approve', ...none }, requester],
      ['escrow_not_found', { type: 'deliver', ...none, delivery: DELIVERY }, provider],
      ['escrow_not_found', { type: 'reclaim', ...none }, stranger],
      ['forbidden', { type: 'approve', ...name }, stranger],
      ['forbidden', { type: 'deliver', ...name, delivery: DELIVERY }, stranger],
      ['deadline_not_reached', { type: 'reclaim', ...name }, stranger],
      ['conflict', { type: 'claim', ...name }, stranger],
      ['invalid_request', { ...lock, ...none, deadline: unixSeconds + 10 }, requester],
      ['invalid_request', { ...lock, ...none, provider: requester.address }, requester],
      ['invalid_request', { ...lock, ...none, bond: 10n * USDC + 1n }, requester],
      ['invalid_request', { ...lock, ...none, disputeBps: 10_001 }, requester],
      ['invalid_request', { ...lock, ...none, disputeBps: 0.5 }, requester],
      ['invalid_request', { type: 'dispute', ...name, offerBps: -1 }, requester],
      ['invalid_request', { type: 'contest', ...name, maxBps: 70_000 }, provider],
      ['forbidden', { type: 'decide', ...name, forProvider: true }, stranger],
      ['invalid_request', { ...lock, conversation: 'zz' }, requester],
      ['invalid_request', { ...lock, provider: 'nobody' }, requester],
      ['insufficient_funds', { ...lock, ...none, amount: 101n * USDC }, requester],
      ['insufficient_funds', { ...lock, ...none, amount: 60n * USDC, bond: 60n * USDC }, requester],
      ['insufficient_funds', { ...lock, ...none, requester: broke.address }, broke],
      ['insufficient_funds', { ...lock, ...none, requester: poor.address }, poor],
    ];
    for (const [code, step, signer] of refused) {
      const never = { address: signer.address, sign: () => assert.fail(`${step.type} was signed`) };
      await assert.rejects(
        bench.settlement.prepare(step, [never]),
        { name: 'MeshError', code },
        `${step.type} ${code}`,
      );
    }
    bench.net.warp({ seconds: 3601 });
    const late = bench.settlement.prepare({ type: 'deliver', ...name, delivery: DELIVERY }, [provider]);
    await assert.rejects(late, (error: MeshError) => {
      assert.deepEqual([error.code, error.details.extra], ['deadline_passed', { program_error: 'too_late' }]);
      return true;
    });
  });

  it('what becomes impossible between preparing and sending fails with its reason', async () => {
    const [requester, provider] = [await bench.wallet(), await bench.wallet(0n)];
    const name = await bench.lock(requester, provider);
    const [first, second] = [
      await bench.settlement.prepare({ type: 'approve', ...name }, [requester]),
      await bench.settlement.prepare({ type: 'refund', ...name }, [provider]),
    ];
    assert.equal((await bench.ledger.submit(first)).status, 'confirmed');
    const failed = await bench.ledger.submit(second);
    assert.ok(failed.status === 'failed');
    assert.deepEqual(failed.refusal, {
      code: 'escrow_not_found',
      detail: 'The settlement program refused refund: nothing is locked for this deal, or its escrow has closed.',
      programError: 'wrong_owner',
    });
  });

  it('the same step twice within one blockhash is two transactions', async () => {
    const key = await bench.wallet(100n * USDC, SOL);
    const pay = { type: 'pay_lease', key: key.address, epochs: 1, maxAmount: USDC } as const;
    await bench.take({ ...pay, payments: 0 }, key);
    const next = { ...pay, payments: 1 };
    const prepared = [await bench.settlement.prepare(next, [key]), await bench.settlement.prepare(next, [key])];
    assert.notEqual(prepared[0]!.signature, prepared[1]!.signature);
  });
});
