import assert from 'node:assert/strict';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import type { Ledger, PreparedTransaction, Signer } from '../../core/ledger/ledger.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { type SolanaBench, solanaBench } from './bench.ts';

const SOL = 1_000_000_000n;

describe('what became of a transaction', function () {
  this.timeout(30_000);
  let bench: SolanaBench;
  /** Two views of one cluster, and ledgers that ask one or both of them. */
  let first: RpcProxy;
  let second: RpcProxy;
  let one: Ledger;
  let both: Ledger;
  let from: Signer;
  let to: Signer;
  before(async () => {
    bench = await solanaBench();
    [first, second] = [await RpcProxy.start(bench.net.url), await RpcProxy.start(bench.net.url)];
    one = await openSolanaLedger({ url: first.url, log: silentLog, clock: systemClock });
    both = await openSolanaLedger({ url: [first.url, second.url], log: silentLog, clock: systemClock });
  });
  beforeEach(async () => {
    from = await bench.wallet(SOL, 100n);
    to = await bench.wallet(0n, 0n);
  });
  afterEach(() => {
    first.heal();
    second.heal();
  });
  after(async () => {
    await Promise.all([one.close(), both.close()]);
    await Promise.all([first.stop(), second.stop()]);
    await bench.close();
  });

  const transfer = (ledger: Ledger = bench.ledger) =>
    ledger.prepareUsdcTransfer({ to: to.address, amount: 4n, memo: '' }, from);
  const got = () => bench.ledger.usdc(to.address);
  /** So many that nothing prepared before can land any more. */
  const pass = () => bench.skipBlocks(200);
  async function slot(): Promise<number> {
    const { payload } = await call('getSlot', [{ commitment: 'finalized' }]);
    return payload.result;
  }
  async function call(method: string, params: unknown[]): Promise<{ payload: any }> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    return { payload: await (await fetch(bench.net.url, { method: 'POST', headers, body })).json() };
  }
  /** A node that knows nothing of the transaction, as of that slot. */
  const unknown = (proxy: RpcProxy, at: number) =>
    proxy.answer('getSignatureStatuses', () => ({ context: { slot: at }, value: [null] }));
  const known = (proxy: RpcProxy, level: string, err: unknown = null) =>
    proxy.answer('getSignatureStatuses', () => ({
      context: { slot: 9_999_999_999 },
      value: [{ slot: 7, confirmations: null, err, confirmationStatus: level }],
    }));

  it('is no expiry when the status is older than the block height', async () => {
    const prepared = await transfer();
    unknown(first, await slot());
    assert.equal((await bench.ledger.submit(prepared)).status, 'confirmed');
    await pass();
    const outcome = await one.outcome(prepared);
    assert.ok(outcome.status === 'pending' && /lags behind/.test(outcome.lapsed!.reason), JSON.stringify(outcome));
    first.heal();
    assert.equal((await one.outcome(prepared)).status, 'confirmed');
  });

  it('is no expiry when the history begins after it was sent', async () => {
    const prepared = await transfer();
    await pass();
    unknown(first, (await slot()) + 10);
    first.answer('getFirstAvailableBlock', () => prepared.madeAfter! + 2);
    const outcome = await one.outcome(prepared);
    assert.ok(outcome.status === 'pending' && /history of RPC 1/.test(outcome.lapsed!.reason), JSON.stringify(outcome));
    first.answer('getFirstAvailableBlock', () => prepared.madeAfter! + 1);
    assert.equal((await one.outcome(prepared)).status, 'expired');
    // A record of an earlier version does not say when it was made: the height of its blockhash stands in for the slot.
    const { madeAfter: _, ...old } = prepared;
    first.answer('getFirstAvailableBlock', () => old.lastValidBlockHeight - 150 + 2);
    assert.equal((await one.outcome(old)).status, 'pending');
    first.answer('getFirstAvailableBlock', () => 0);
    assert.equal((await one.outcome(old)).status, 'expired');
  });

  it('is not told by an answer of another shape', async () => {
    const prepared = await transfer();
    await pass();
    const context = { slot: (await slot()) + 10 };
    const status = { slot: 7, confirmations: null, err: null, confirmationStatus: 'finalized' };
    const { err: _, ...silent } = status;
    const answers: unknown[] = [
      {},
      7,
      [],
      { value: [null] },
      { context, value: null },
      { context, value: 7 },
      { context, value: {} },
      { context, value: [] },
      { context, value: [null, null] },
      { context, value: [7] },
      { context, value: [{}] },
      { context, value: [{ ...status, slot: '7' }] },
      { context, value: [{ ...status, slot: -7 }] },
      { context, value: [{ ...status, confirmationStatus: 'rooted' }] },
      { context, value: [{ ...status, confirmationStatus: null }] },
      { context, value: [silent] },
      { context: { slot: '9' }, value: [null] },
      { context: { slot: -1 }, value: [null] },
    ];
    for (const answer of answers) {
      first.answer('getSignatureStatuses', () => answer);
      await assert.rejects(one.outcome(prepared), { code: 'ledger_unavailable' }, JSON.stringify(answer));
    }
    first.heal();
    for (const answer of [{}, { absoluteSlot: 9 }, { absoluteSlot: 9, blockHeight: '999999' }, 999_999, []]) {
      first.answer('getEpochInfo', () => answer);
      await assert.rejects(one.outcome(prepared), { code: 'ledger_unavailable' }, JSON.stringify(answer));
    }
    first.heal();
    for (const answer of [{}, '0', -1, 1.5]) {
      first.answer('getFirstAvailableBlock', () => answer);
      await assert.rejects(one.outcome(prepared), { code: 'ledger_unavailable' }, JSON.stringify(answer));
    }
    first.heal();
    assert.equal((await one.outcome(prepared)).status, 'expired');
  });

  it('may be taken back until it is finalised, and a failure counts only then', async () => {
    const prepared = await transfer();
    known(first, 'processed');
    assert.deepEqual(await one.outcome(prepared), { status: 'pending' });
    known(first, 'confirmed');
    assert.deepEqual(await one.outcome(prepared), { status: 'confirmed', slot: 7, finalised: false });
    known(first, 'finalized');
    assert.deepEqual(await one.outcome(prepared), { status: 'confirmed', slot: 7, finalised: true });
    known(first, 'confirmed', 'AccountInUse');
    assert.deepEqual(await one.outcome(prepared), { status: 'pending' });
    known(first, 'finalized', 'AccountInUse');
    assert.deepEqual(await one.outcome(prepared), {
      status: 'failed',
      code: 'AccountInUse',
      detail: '"AccountInUse"',
    });
  });

  it('is waited for until it is finalised where that is asked for', async () => {
    const prepared = await transfer();
    let asked = 0;
    first.changed.set('getSignatureStatuses', async ({ pass: through }) => {
      const answer = await through();
      asked += 1;
      if (answer.result.value[0] && asked < 4) answer.result.value[0].confirmationStatus = 'confirmed';
      return answer;
    });
    const outcome = await one.submit(prepared, undefined, 'finalised');
    assert.ok(outcome.status === 'confirmed' && outcome.finalised && asked >= 4);
  });

  it('is not told by the error of a node that forwarded it', async () => {
    const prepared = await transfer(one);
    first.changed.set('sendTransaction', async ({ id, pass: through }) => {
      await through();
      const data = { err: { InstructionError: [1, { Custom: 1 }] } };
      return { jsonrpc: '2.0', id, error: { code: -32002, message: 'Transaction simulation failed', data } };
    });
    assert.equal((await one.submit(prepared)).status, 'confirmed');
    assert.equal(await got(), 4n);
  });

  it('is refused while it is prepared where the ledger would refuse it', async () => {
    first.answer('simulateTransaction', () => ({
      context: { slot: 1 },
      value: { err: { InstructionError: [1, { Custom: 17 }] }, logs: [] },
    }));
    const never: Signer = { address: from.address, sign: () => assert.fail('it was asked to sign') };
    const refused = one.prepareUsdcTransfer({ to: to.address, amount: 4n, memo: '' }, never);
    await assert.rejects(refused, { code: 'upstream_failed', message: /"Custom":17.*nothing was sent/ });
    for (const [method, answer] of [
      ['simulateTransaction', {}],
      ['simulateTransaction', { value: {} }],
      ['getLatestBlockhash', { value: { blockhash: from.address, lastValidBlockHeight: 9 } }],
      ['getLatestBlockhash', { context: { slot: 1 }, value: { blockhash: 'x', lastValidBlockHeight: 9 } }],
      ['getLatestBlockhash', { context: { slot: 1 }, value: { blockhash: from.address, lastValidBlockHeight: -9 } }],
      ['getMultipleAccounts', { context: { slot: 1 }, value: [null] }],
    ] as const) {
      first.heal();
      first.answer(method, () => answer);
      const broken = one.prepareUsdcTransfer({ to: to.address, amount: 4n, memo: '' }, never);
      await assert.rejects(broken, { code: 'ledger_unavailable' }, JSON.stringify(answer));
    }
  });

  it('is believed of two RPCs when the slower one has caught up', async () => {
    const prepared = await transfer(both);
    unknown(second, await slot());
    assert.equal((await bench.ledger.submit(prepared)).status, 'confirmed');
    assert.deepEqual(await both.outcome(prepared), { status: 'pending' });
    await pass();
    const outcome = await both.outcome(prepared);
    assert.notEqual(outcome.status, 'expired');
    assert.notEqual(outcome.status, 'confirmed');
    second.heal();
    assert.equal((await both.outcome(prepared)).status, 'confirmed');
  });

  it('is believed of two RPCs when both say so', async () => {
    const prepared = await transfer(both);
    await pass();
    // One of them sees it; whether the other is behind, or has forgotten, or lies, it has not expired.
    known(second, 'finalized');
    assert.equal((await both.outcome(prepared)).status, 'pending');
    // A node whose history does not reach back says nothing by not knowing it.
    first.answer('getFirstAvailableBlock', () => 9_999_999_999);
    assert.deepEqual(await both.outcome(prepared), { status: 'confirmed', slot: 7, finalised: true });
    first.heal();
    second.heal();
    second.lost.add('getSignatureStatuses');
    await assert.rejects(both.outcome(prepared), { code: 'ledger_unavailable' });
    second.heal();
    second.answer('getEpochInfo', () => ({ absoluteSlot: 1, blockHeight: 1 }));
    assert.deepEqual(await both.outcome(prepared), { status: 'pending' });
    second.heal();
    assert.equal((await both.outcome(prepared)).status, 'expired');
  });

  it('is found in the history by its memo where the list does not tell memos', async () => {
    const prepared: PreparedTransaction[] = [];
    for (const memo of ['deal 1', 'deal 2']) {
      const next = await bench.ledger.prepareUsdcTransfer({ to: to.address, amount: 4n, memo }, from);
      assert.equal((await bench.ledger.submit(next)).status, 'confirmed');
      prepared.push(next);
    }
    first.changed.set('getSignaturesForAddress', async ({ pass: through }) => {
      const answer = await through();
      for (const entry of answer.result) entry.memo = null;
      return answer;
    });
    const { transfers } = await one.sentUsdc(from.address, { memo: 'deal 1', since: 0, atLeast: 0 });
    assert.deepEqual(
      transfers.map(({ signature, to: receiver, amount }) => [signature, receiver, amount]),
      [[prepared[0]!.signature, to.address, 4n]],
    );
    // Another transaction than the listed one tells nothing of it, of whatever version it is.
    first.changed.set('getTransaction', async ({ pass: through }) => {
      const answer = await through();
      answer.result.version = 0;
      answer.result.transaction.signatures = [prepared[1]!.signature.split('').reverse().join('')];
      return answer;
    });
    const asked = { memo: 'deal 1', since: 0, atLeast: 0 };
    await assert.rejects(one.sentUsdc(from.address, asked), { code: 'ledger_unavailable' });
    first.heal();
    // One node that remembers is enough.
    first.answer('getSignaturesForAddress', () => []);
    const again = await both.sentUsdc(from.address, { memo: 'deal 1', since: 0, atLeast: 0 });
    assert.deepEqual(again.transfers, transfers);
  });
});
