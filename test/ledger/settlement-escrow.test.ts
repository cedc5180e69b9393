import assert from 'node:assert/strict';
import type { MeshError } from '../../core/errors.ts';
import type { EscrowStep } from '../../core/ledger/settlement-steps.ts';
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
      reviewSecs: 7200,
      deliveredAt: null,
      disputedAt: null,
      disputeBps: 5000,
    });
    assert.equal(new Set([address, vault, payee]).size, 3);
    assert.equal(await ledger.usdc(requester.address), 95n * USDC);

    await bench.take({ type: 'deliver', ...name, delivery: DELIVERY }, provider);
    const delivered = (await settlement.escrow(name))!;
    assert.deepEqual([delivered.state, delivered.delivery], ['delivered', DELIVERY]);
    // The provider never had a token account: whoever releases makes it.
    await bench.take({ type: 'approve', ...name }, requester);
    assert.equal(await settlement.escrow(name), undefined);
    assert.equal(await ledger.usdc(provider.address), 5n * USDC);
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
      if (dispute) await bench.take({ type: 'dispute', ...name }, requester);
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

  it('a notary decides once there is a delivery', async () => {
    const [requester, provider, notary] = [await bench.wallet(), await bench.wallet(0n), await bench.wallet(0n)];
    const name = await bench.lock(requester, provider, { notary: notary.address });
    await assert.rejects(bench.take({ type: 'approve', ...name }, notary), { code: 'conflict' });
    await bench.take({ type: 'deliver', ...name, delivery: DELIVERY }, provider);
    await bench.take({ type: 'refund', ...name }, notary);
    assert.equal(await bench.ledger.usdc(requester.address), 100n * USDC);
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
    const terms = { notary: null, amount: 5n * USDC, reviewSecs: 7200, disputeBps: 5000, terms: 'ab'.repeat(32) };
    const lock = { type: 'lock', ...name, ...terms, deadline: unixSeconds + 3600 } as const;
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
      ['invalid_request', { ...lock, conversation: 'zz' }, requester],
      ['invalid_request', { ...lock, provider: 'nobody' }, requester],
      ['insufficient_funds', { ...lock, ...none, amount: 101n * USDC }, requester],
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
      detail: 'The settlement program refused refund: an account belongs to another program.',
      programError: 'wrong_owner',
    });
  });

  it('the same step twice within one blockhash is two transactions', async () => {
    const key = await bench.wallet(100n * USDC, SOL);
    const pay = { type: 'pay_lease', key: key.address, epochs: 1, maxAmount: USDC } as const;
    await bench.take(pay, key);
    const prepared = [await bench.settlement.prepare(pay, [key]), await bench.settlement.prepare(pay, [key])];
    assert.notEqual(prepared[0]!.signature, prepared[1]!.signature);
  });
});
