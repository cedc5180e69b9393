import assert from 'node:assert/strict';
import type { Ledger, PreparedTransaction, Signer, TransactionOutcome } from '../../core/ledger/ledger.ts';
import { RecordedTransactions } from '../../core/ledger/recorded-transactions.ts';
import { silentLog } from '../../core/platform/log.ts';
import type { EscrowName } from '../../core/protocol/settlement/steps.ts';
import type { Space } from '../../core/storage/space.ts';
import { nodeSpace } from '../support/space.ts';
import { type SettlementBench, SOL, settlementBench, USDC } from './settlement-bench.ts';

describe('a recorded transaction', function () {
  this.timeout(90_000);
  const { signal } = new AbortController();
  let bench: SettlementBench;
  let space: Space;
  let key: Signer;
  before(async () => {
    bench = await settlementBench();
  });
  after(() => bench.close());
  beforeEach(async () => {
    space = await nodeSpace();
    key = await bench.wallet(10n * USDC, SOL);
  });

  const transactions = (ledger: Pick<Ledger, 'submit' | 'outcome'> = bench.ledger) =>
    new RecordedTransactions({ space, ledger, log: silentLog });
  const pay = async () => {
    const payments = (await bench.settlement.agent(key.address))?.payments ?? 0;
    const step = { type: 'pay_lease', key: key.address, epochs: 1, maxAmount: 5n * USDC, payments } as const;
    return bench.settlement.prepare(step, [key]);
  };
  const spent = async () => 10n * USDC - (await bench.ledger.usdc(key.address));
  /** A ledger on the other side of a crash: what it was asked never comes back. */
  const lost = (submit: (transaction: PreparedTransaction) => Promise<unknown>) => ({
    submit: (transaction: PreparedTransaction) =>
      submit(transaction).then((): TransactionOutcome => {
        throw new Error('the power is gone');
      }),
    outcome: bench.ledger.outcome,
  });

  it('happens once, however often and however concurrently it is asked for', async () => {
    const one = transactions();
    const [first, second] = await Promise.all([
      one.carryOut('lease 1', pay, signal),
      one.carryOut('lease 1', pay, signal),
    ]);
    assert.deepEqual(first, second);
    assert.deepEqual(await one.carryOut('lease 1', pay, signal), first);
    assert.deepEqual(await transactions().carryOut('lease 1', () => assert.fail(), signal), first);
    assert.equal(await spent(), USDC);
    assert.deepEqual(await one.find('lease 1'), { status: 'confirmed', ...first });
    assert.equal(await one.find('lease 2'), undefined);
    const other = await one.carryOut('lease 2', pay, signal);
    assert.notEqual(other.signature, first.signature);
    assert.equal(await spent(), 2n * USDC);
  });

  it('goes on as the same transaction after a crash before it was sent', async () => {
    const crashed = transactions(lost(async () => undefined));
    await assert.rejects(crashed.carryOut('lease', pay, signal), { message: 'the power is gone' });
    const { status, signature } = (await crashed.find('lease'))!;
    assert.equal(status, 'recorded');
    assert.equal(await spent(), 0n);
    const again = transactions();
    await again.resume(signal);
    assert.equal(await spent(), USDC);
    assert.equal((await again.carryOut('lease', () => assert.fail(), signal)).signature, signature);
    assert.equal(await spent(), USDC);
  });

  it('is not done twice after a crash before its confirmation was seen', async () => {
    const crashed = transactions(lost((transaction) => bench.ledger.submit(transaction)));
    await assert.rejects(crashed.carryOut('lease', pay, signal), { message: 'the power is gone' });
    assert.equal(await spent(), USDC);
    const [resumed, landed] = await Promise.all([
      transactions().resume(signal),
      transactions().carryOut('lease', pay, signal),
    ]);
    assert.equal(resumed, undefined);
    assert.equal((await transactions().find('lease'))?.signature, landed.signature);
    assert.equal(await spent(), USDC);
  });

  it('is made anew only when the old one has certainly expired', async () => {
    const crashed = transactions(lost(async () => undefined));
    await assert.rejects(crashed.carryOut('lease', pay, signal));
    const old = (await crashed.find('lease'))!.signature;
    bench.net.warp({ slots: 200, blocks: 200 });
    const again = transactions();
    await again.resume(signal);
    assert.deepEqual(await again.find('lease'), { status: 'expired', signature: old });
    const landed = await again.carryOut('lease', pay, signal);
    assert.notEqual(landed.signature, old);
    assert.equal(await spent(), USDC);
  });

  it('a call that finds it expired makes the new one itself, a few times', async () => {
    let sent = 0;
    const late = {
      submit(transaction: PreparedTransaction) {
        sent += 1;
        if (sent < 3) bench.net.warp({ slots: 200, blocks: 200 });
        return bench.ledger.submit(transaction);
      },
      outcome: bench.ledger.outcome,
    };
    await transactions(late).carryOut('lease', pay, signal);
    assert.equal(sent, 3);
    assert.equal(await spent(), USDC);
    sent = Number.NEGATIVE_INFINITY;
    await assert.rejects(transactions(late).carryOut('lease too', pay, signal), { code: 'ledger_unavailable' });
    assert.equal(await spent(), USDC);
  });

  it('that the ledger refuses fails with the reason and can be tried again', async () => {
    const [requester, provider] = [await bench.wallet(), await bench.wallet(0n)];
    const name: EscrowName = await bench.lock(requester, provider);
    const refund = await bench.settlement.prepare({ type: 'refund', ...name }, [provider]);
    await bench.take({ type: 'approve', ...name }, requester);
    const one = transactions();
    await assert.rejects(
      one.carryOut('refund', async () => refund, signal),
      { code: 'escrow_not_found' },
    );
    assert.deepEqual(await one.find('refund'), {
      status: 'failed',
      signature: refund.signature,
      refusal: 'wrong_owner',
    });
    const unprepared = () => bench.settlement.prepare({ type: 'refund', ...name }, [provider]);
    await assert.rejects(one.carryOut('refund', unprepared, signal), { code: 'escrow_not_found' });
    await one.carryOut('refund', pay, signal);
  });

  it('stops with the node and is taken up later', async () => {
    const stopping = new AbortController();
    const hanging = {
      submit: (_: PreparedTransaction, stop?: AbortSignal) =>
        new Promise<TransactionOutcome>((_done, fail) => {
          stop!.addEventListener('abort', () => fail(stop!.reason));
          setImmediate(() => stopping.abort());
        }),
      outcome: bench.ledger.outcome,
    };
    const run = transactions(hanging).carryOut('lease', pay, stopping.signal);
    await assert.rejects(run, { code: 'not_ready' });
    await transactions().resume(signal);
    assert.equal((await transactions().find('lease'))?.status, 'confirmed');
  });

  it('what could not be prepared leaves nothing behind', async () => {
    await assert.rejects(
      transactions().carryOut('lease', async () => Promise.reject(new Error('no')), signal),
      { message: 'no' },
    );
    assert.equal(await transactions().find('lease'), undefined);
  });

  it('does not pile up without bound while the ledger is silent', async () => {
    const silent = transactions(lost(async () => undefined));
    const fake = async () => ({ signature: 'signature', bytes: '', lastValidBlockHeight: 1 });
    for (let count = 0; count < 1_000; count += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, index) => assert.rejects(silent.carryOut(`${count + index}`, fake, signal))),
      );
    await assert.rejects(silent.carryOut('one more', fake, signal), { code: 'ledger_unavailable', message: /1000/ });
  });
});
