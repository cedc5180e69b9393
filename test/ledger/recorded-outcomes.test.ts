import assert from 'node:assert/strict';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import type { Ledger, PreparedTransaction, Signer } from '../../core/ledger/ledger.ts';
import { type RecordedTransaction, transactions } from '../../core/ledger/recorded-transaction.ts';
import { RecordedTransactions } from '../../core/ledger/recorded-transactions.ts';
import type { Clock } from '../../core/platform/clock.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { Space } from '../../core/storage/space.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { nodeSpace } from '../support/space.ts';
import { type SolanaBench, solanaBench } from './bench.ts';

const SOL = 1_000_000_000n;

/** Pauses take no time. */
class HastyClock implements Clock {
  #ahead = 0;
  now = () => systemClock.now() + this.#ahead;
  after = systemClock.after;
  every = systemClock.every;
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await systemClock.sleep(5, signal);
    this.#ahead += ms;
  }
}

describe('a recorded transaction whose outcome is in doubt', function () {
  this.timeout(30_000);
  const { signal } = new AbortController();
  let bench: SolanaBench;
  let proxy: RpcProxy;
  let ledger: Ledger;
  let space: Space;
  let recorded: RecordedTransactions;
  let from: Signer;
  let to: Signer;
  before(async () => {
    bench = await solanaBench();
    proxy = await RpcProxy.start(bench.net.url);
    ledger = await openSolanaLedger({ url: proxy.url, log: silentLog, clock: new HastyClock() });
  });
  beforeEach(async () => {
    space = await nodeSpace();
    recorded = new RecordedTransactions({ space, ledger, log: silentLog });
    from = await bench.wallet(SOL, 100n);
    to = await bench.wallet(SOL, 0n);
  });
  afterEach(() => proxy.heal());
  after(async () => {
    await ledger.close();
    await proxy.stop();
    await bench.close();
  });

  let memos = 0;
  const pay = () => ledger.prepareUsdcTransfer({ to: to.address, amount: 10n, memo: `${memos++}` }, from);
  const spent = async () => 100n - (await bench.ledger.usdc(from.address));
  const pass = () => bench.skipBlocks(200);
  const stored = async () => (await space.get(transactions.ref('pay'))) as RecordedTransaction;
  const statuses = (answer: (asked: number) => unknown) => {
    let asked = 0;
    proxy.changed.set('getSignatureStatuses', async ({ id, pass: through }) => {
      asked += 1;
      const value = answer(asked);
      return value === undefined
        ? through()
        : { jsonrpc: '2.0', id, result: { context: { slot: 9e9 }, value: [value] } };
    });
  };
  /** Nobody can say whether it landed: the history begins after it was sent. */
  const forget = () => {
    statuses(() => null);
    proxy.answer('getFirstAvailableBlock', () => 9e9);
  };
  const prepareAndPass = async () => {
    const prepared = await pay();
    await pass();
    return prepared;
  };

  it('is asked about again before another one is made, after it was taken for expired', async () => {
    const prepared: PreparedTransaction[] = [];
    // The node lies twice, as one with a broken index does: the transaction has landed.
    statuses((asked) => (asked <= 2 ? null : undefined));
    const landed = await recorded.carryOut(
      'pay',
      async () => {
        prepared.push(await pay());
        assert.equal((await bench.ledger.submit(prepared.at(-1)!)).status, 'confirmed');
        await pass();
        return prepared.at(-1)!;
      },
      signal,
    );
    assert.deepEqual([prepared.length, landed.signature], [1, prepared[0]!.signature]);
    assert.equal(await spent(), 10n);
    assert.deepEqual(await recorded.find('pay'), { status: 'confirmed', ...landed });
  });

  it('is asked about again much later, and with it those before it', async () => {
    const first = await prepareAndPass();
    const landedLate = await pay();
    const records = [first, landedLate];
    proxy.lost.add('sendTransaction');
    statuses(() => null);
    await pass();
    await assert.rejects(
      recorded.carryOut('pay', async () => records.shift() ?? (await prepareAndPass()), signal),
      { code: 'ledger_unavailable', message: /nothing was changed/ },
    );
    const { earlier } = await stored();
    assert.deepEqual(
      earlier!.map(({ signature }) => signature),
      [first.signature, landedLate.signature],
    );
    proxy.heal();
    // The second of the three is on the ledger after all.
    statuses(() => undefined);
    proxy.changed.set('getSignatureStatuses', async ({ params, pass: through }) => {
      const answer = await through();
      if (params[0][0] === landedLate.signature)
        answer.result.value = [{ slot: 7, confirmations: null, err: null, confirmationStatus: 'finalized' }];
      return answer;
    });
    const landed = await recorded.carryOut('pay', () => assert.fail('another one was asked for'), signal);
    assert.deepEqual(landed, { signature: landedLate.signature, slot: 7 });
  });

  it('goes on when the ledger takes it back before it is final', async () => {
    proxy.lost.add('sendTransaction');
    statuses(() => ({ slot: 7, confirmations: 1, err: null, confirmationStatus: 'confirmed' }));
    const landed = await recorded.carryOut('pay', pay, signal);
    assert.equal(landed.slot, 7);
    assert.equal((await stored()).finalised, false);
    await recorded.resume(signal);
    assert.equal((await recorded.find('pay'))?.status, 'confirmed');
    proxy.heal();
    await recorded.resume(signal);
    await recorded.resume(signal);
    const { status, finalised, signature, bytes } = await stored();
    assert.deepEqual([status, finalised, signature, bytes], ['confirmed', true, landed.signature, '']);
    assert.equal(await spent(), 10n);
  });

  it('is made anew when it was taken back for ever', async () => {
    proxy.lost.add('sendTransaction');
    statuses(() => ({ slot: 7, confirmations: 1, err: null, confirmationStatus: 'confirmed' }));
    const gone = await recorded.carryOut('pay', pay, signal);
    proxy.heal();
    await pass();
    await recorded.resume(signal);
    assert.equal((await recorded.find('pay'))?.status, 'expired');
    const landed = await recorded.carryOut('pay', pay, signal);
    assert.notEqual(landed.signature, gone.signature);
    assert.equal(await spent(), 10n);
  });

  it('is not given out as final before it is, where that is asked for', async () => {
    proxy.lost.add('sendTransaction');
    statuses((asked) =>
      asked < 4 ? { slot: 7, confirmations: 1, err: null, confirmationStatus: 'confirmed' } : undefined,
    );
    setTimeout(() => proxy.lost.clear(), 200);
    const landed = await recorded.carryOut('pay', pay, signal, { until: 'finalised' });
    assert.notEqual(landed.slot, 7);
    assert.equal(await spent(), 10n);
    assert.equal((await stored()).finalised, true);
  });

  it('is not made anew while nobody can say whether it landed, and the error says so', async () => {
    forget();
    let prepared = 0;
    const unsure = async () => {
      prepared += 1;
      return prepareAndPass();
    };
    const error = { code: 'ledger_unavailable', message: /whether it landed is not known.*history of RPC 1 begins/ };
    for (let times = 0; times < 3; times++) await assert.rejects(recorded.carryOut('pay', unsure, signal), error);
    assert.equal(prepared, 1);
    const { signature } = await stored();
    assert.deepEqual(await recorded.find('pay'), { status: 'recorded', signature, lapsed: true });
    await recorded.resume(signal);
    assert.equal((await stored()).status, 'recorded');
    proxy.heal();
    await recorded.resume(signal);
    assert.equal((await recorded.find('pay'))?.status, 'expired');
  });

  it('is judged by what the caller reads from an account, where nobody can say', async () => {
    forget();
    let asked: number[] = [];
    const isDone = (answer: boolean | undefined) => async (atLeast: number) => {
      asked.push(atLeast);
      return answer;
    };
    const unsure = recorded.carryOut('pay', prepareAndPass, signal, { isDone: isDone(undefined) });
    await assert.rejects(unsure, { code: 'ledger_unavailable', message: /not known/ });
    const { lapsed, signature } = await stored();
    assert.deepEqual(asked, [0, lapsed!.slot]);
    asked = [];
    const landed = await recorded.carryOut('pay', () => assert.fail(), signal, { isDone: isDone(true) });
    assert.equal(landed.signature, signature);
    assert.ok(asked.every((slot) => slot >= lapsed!.slot) && asked.length > 0);

    space = await nodeSpace();
    recorded = new RecordedTransactions({ space, ledger, log: silentLog });
    let prepared = 0;
    const two = async () => {
      prepared += 1;
      if (prepared === 1) return prepareAndPass();
      proxy.heal();
      return pay();
    };
    await recorded.carryOut('pay', two, signal, { isDone: isDone(false) });
    assert.deepEqual([prepared, await spent()], [2, 10n]);
  });

  it('counts as done only while the caller finds it done', async () => {
    const first = await recorded.carryOut('pay', pay, signal, { isDone: async () => false });
    assert.deepEqual(await recorded.carryOut('pay', () => assert.fail(), signal, { isDone: async () => true }), first);
    assert.deepEqual(
      await recorded.carryOut('pay', () => assert.fail(), signal, { isDone: async () => undefined }),
      first,
    );
    const other = { signature: 'by somebody else', slot: 9 };
    assert.deepEqual(await recorded.carryOut('pay', () => assert.fail(), signal, { isDone: async () => other }), other);
    const asked: number[] = [];
    const undone = async (atLeast: number) => {
      asked.push(atLeast);
      return false;
    };
    const second = await recorded.carryOut('pay', pay, signal, { isDone: undone });
    assert.notEqual(second.signature, first.signature);
    assert.equal(asked[0], first.slot);
    assert.equal(await spent(), 20n);
  });

  it('is told to its caller when it is recorded and before it is sent', async () => {
    const told: string[] = [];
    const landed = await recorded.carryOut('pay', pay, signal, {
      async recorded({ signature }) {
        assert.equal((await stored()).signature, signature);
        assert.equal(await spent(), 0n);
        told.push(signature);
      },
    });
    assert.deepEqual(told, [landed.signature]);
  });

  it('of an earlier version goes on', async () => {
    const { madeAfter: _, ...old } = await pay();
    await space.put(transactions.ref('pay'), { ...old, status: 'recorded', at: 1 });
    const landed = await recorded.carryOut('pay', () => assert.fail(), signal);
    assert.equal(landed.signature, old.signature);
    await space.put(transactions.ref('paid'), { ...old, status: 'confirmed', slot: 5, at: 1 });
    await recorded.resume(signal);
    const paid = await recorded.carryOut('paid', () => assert.fail(), signal);
    assert.deepEqual(paid, { signature: old.signature, slot: 5 });
    await space.put(transactions.ref('late'), { ...old, status: 'expired', at: 1 });
    assert.equal((await recorded.carryOut('late', () => assert.fail(), signal)).signature, old.signature);
    assert.equal(await spent(), 10n);
  });
});
