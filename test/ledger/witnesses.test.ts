import assert from 'node:assert/strict';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Settlement } from '../../core/ledger/settlement.ts';
import { silentLog } from '../../core/platform/log.ts';
import type { EscrowName } from '../../core/protocol/settlement/steps.ts';
import { HastyClock } from '../support/hasty-clock.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { NETWORK, type SettlementBench, settlementBench, USDC } from './settlement-bench.ts';

const READ = 'getMultipleAccounts';

describe('a ledger that two RPCs tell of', function () {
  this.timeout(60_000);
  let bench: SettlementBench;
  let proxy: RpcProxy;
  let ledger: Ledger;
  let settlement: Settlement;
  let escrow: EscrowName;
  const clock = new HastyClock();
  const options = () => {
    const { program: programId, config } = bench.net.settlement;
    return { settlement: { programId, config, networkId: NETWORK }, log: silentLog, clock };
  };
  before(async () => {
    // Slots move by warp alone, so that every age is exact.
    bench = await settlementBench({}, { faults: { views: [{}, {}] }, slotMs: 0 });
    bench.net.warp({ slots: 100, blocks: 100 });
    proxy = await RpcProxy.start(bench.net.views[1]!.url);
    ledger = await openSolanaLedger({ url: [bench.net.url, proxy.url], ...options() });
    settlement = ledger.settlement!;
  });
  beforeEach(async () => {
    escrow = await bench.lock(await bench.wallet(), await bench.wallet());
  });
  afterEach(() => {
    proxy.heal();
    bench.net.play({ views: [{}, {}] });
    clock.shift(3_600_000);
  });
  after(async () => {
    await ledger.close();
    await proxy.stop();
    await bench.close();
  });

  const state = async () => (await settlement.escrows([escrow])).value[0]?.state;
  async function isNotBelieved(read: () => Promise<unknown>, message: RegExp): Promise<void> {
    await assert.rejects(read(), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'ledger_unavailable');
      assert.match(error.message, message);
      assert.ok(![bench.net.url, proxy.url].some((url) => error.message.includes(url)));
      return true;
    });
  }

  it('is believed when both say the same', async () => {
    assert.equal(await state(), 'locked');
    assert.equal((await settlement.escrow(escrow))?.state, 'locked');
    const { slot } = await settlement.agents([escrow.provider]);
    assert.ok(slot > 0);
    assert.ok(Math.abs((await settlement.time()).slot - slot) <= 1);
    assert.deepEqual(ledger.health(), { state: 'ok' });
  });

  it('is believed once the slower one has caught up', async () => {
    bench.net.views[1]!.faults.set({ lag: 10 });
    const believed = state();
    setTimeout(() => bench.net.warp({ slots: 12, blocks: 12 }), 150);
    assert.equal(await believed, 'locked');
  });

  it('is not believed while one stays behind, and says which', async () => {
    bench.net.views[1]!.faults.set({ lag: 10 });
    await isNotBelieved(state, /RPC 2 stays behind: it tells of slot \d+, RPC 1 of slot \d+/);
    assert.match(ledger.health().detail!, /^RPC 2 of the ledger is behind in getMultipleAccounts/);
  });

  it('is not believed when one says that an account is gone, or holds something else', async () => {
    proxy.answer(READ, async (call) => {
      const { context, value } = (await call.pass()).result;
      return { context, value: value.map(() => null) };
    });
    await isNotBelieved(state, /neither is believed: RPC 2 says something else than RPC 1 of slot \d+/);
    proxy.answer(READ, async (call) => {
      const { context, value } = (await call.pass()).result;
      return { context: { slot: context.slot + 3 }, value: value.map(() => null) };
    });
    await isNotBelieved(state, /RPC 1 stays behind/);
    proxy.answer(READ, async (call) => {
      const { context, value } = (await call.pass()).result;
      const data = Buffer.from(value[0].data[0], 'base64');
      const amount = Buffer.alloc(8);
      amount.writeBigUInt64LE(5n * USDC);
      data.writeUInt8(1, data.indexOf(amount));
      return { context, value: [{ ...value[0], data: [data.toString('base64'), 'base64'] }] };
    });
    await isNotBelieved(state, /RPC 2 says something else/);
    proxy.heal();
    assert.equal(await state(), 'locked');
  });

  it('is not believed when one does not answer', async () => {
    proxy.lost.add(READ);
    await isNotBelieved(state, /^RPC 2 of the ledger did not answer getMultipleAccounts/);
  });

  it('tells no time that only one of them tells', async () => {
    for (const seconds of [-86_400n, -1n, 7_200n]) {
      proxy.answer(READ, async (call) => {
        const { context, value } = (await call.pass()).result;
        const data = Buffer.from(value[0].data[0], 'base64');
        data.writeBigInt64LE(data.readBigInt64LE(32) + seconds, 32);
        return {
          context: { slot: context.slot + 1 },
          value: [{ ...value[0], data: [data.toString('base64'), 'base64'] }],
        };
      });
      await isNotBelieved(() => settlement.time(), /disagree/);
    }
  });

  it('knows no payment and no event that only one of them tells', async () => {
    const { address } = await bench.wallet(5n * USDC);
    const incoming = () => ledger.incomingUsdc(address, undefined, 10);
    proxy.answer('getTransaction', async (call) => {
      const { meta, ...result } = (await call.pass()).result;
      const balances = meta.postTokenBalances.map((one: any) => ({ ...one, uiTokenAmount: { amount: '999000000' } }));
      return { ...result, meta: { ...meta, postTokenBalances: balances, innerInstructions: [] } };
    });
    await isNotBelieved(incoming, /RPC 2 says something else than RPC 1/);
    await isNotBelieved(() => settlement.escrowEvents(escrow, undefined, 10), /RPC 2 says something else than RPC 1/);
    proxy.answer('getTransaction', () => null);
    await isNotBelieved(incoming, /lists it and lacks it/);
    proxy.heal();
    assert.deepEqual(
      (await incoming()).transfers.map(({ amount }) => amount),
      [5n * USDC],
    );
    assert.equal((await settlement.escrowEvents(escrow, undefined, 10)).entries.length, 1);
  });

  it('must be one ledger', async () => {
    proxy.answer('getGenesisHash', () => '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY');
    await assert.rejects(
      openSolanaLedger({ url: [bench.net.url, proxy.url], ...options() }),
      /RPC 2 of the ledger is of another cluster/,
    );
  });
});

describe('a ledger that one RPC tells of', function () {
  this.timeout(60_000);
  let bench: SettlementBench;
  let proxy: RpcProxy;
  let settlement: Settlement;
  let ledger: Ledger;
  const clock = new HastyClock();
  before(async () => {
    bench = await settlementBench({}, { faults: { views: [{}, {}] }, slotMs: 0 });
    bench.net.warp({ slots: 100, blocks: 100 });
    proxy = await RpcProxy.start(bench.net.url);
    const { program: programId, config } = bench.net.settlement;
    const address = { programId, config, networkId: NETWORK };
    ledger = await openSolanaLedger({ url: proxy.url, settlement: address, log: silentLog, clock });
    settlement = ledger.settlement!;
  });
  afterEach(() => {
    proxy.heal();
    bench.net.play({ views: [{}, {}] });
  });
  after(async () => {
    await ledger.close();
    await proxy.stop();
    await bench.close();
  });

  it('never shows an older state after a newer one', async () => {
    const escrow = await bench.lock(await bench.wallet(), await bench.wallet());
    const [requester, provider] = [escrow.requester, escrow.provider];
    assert.ok(requester && provider);
    const read = async () => (await settlement.escrows([escrow])).value[0]?.state;
    const { slot } = await settlement.escrows([escrow]);
    bench.net.warp({ slots: 10, blocks: 10 });
    assert.equal(await read(), 'locked');
    // Behind a load balancer, the next call reaches a node that has not seen the lock: once an honest one.
    bench.net.faults.set({ lag: 40 });
    await assert.rejects(read(), { code: 'ledger_unavailable' });
    await assert.rejects(settlement.time(), { code: 'ledger_unavailable' });
    // Once one that does not know the option.
    proxy.changed.set(READ, async ({ params, id }) => {
      const { minContextSlot, ...others } = params[1];
      assert.ok(minContextSlot > slot);
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: READ, params: [params[0], others] });
      return (await fetch(bench.net.url, { method: 'POST', headers, body })).json();
    });
    await assert.rejects(read(), { code: 'ledger_unavailable', message: /answered from slot \d+, before slot \d+/ });
    // For long: nothing is decided, however often it is asked.
    for (let times = 0; times < 10; times++) await assert.rejects(read(), { code: 'ledger_unavailable' });
    proxy.heal();
    bench.net.faults.clear();
    assert.equal(await read(), 'locked');
  });

  it('shows no end of a history that has more', async () => {
    const { cursor } = await settlement.events(undefined, 1_000);
    const escrow = await bench.lock(await bench.wallet(), await bench.wallet());
    bench.net.warp({ slots: 10, blocks: 10 });
    await settlement.escrows([escrow]);
    bench.net.faults.set({ lag: { getSignaturesForAddress: 40 } });
    await assert.rejects(settlement.events(cursor, 10), { code: 'ledger_unavailable' });
    bench.net.faults.clear();
    assert.deepEqual(
      (await settlement.events(cursor, 10)).entries.map(({ name }) => name),
      ['escrow_locked'],
    );
  });

  it('is not made unreadable by one slot that was never reached', async () => {
    const escrow = await bench.lock(await bench.wallet(), await bench.wallet());
    let poisoned = 0;
    proxy.answer(READ, async (call) => {
      const { context, value } = (await call.pass()).result;
      poisoned += 1;
      return { context: { slot: poisoned === 1 ? 9_000_000_000_000 : context.slot }, value };
    });
    await assert.rejects(settlement.escrows([escrow]), { code: 'ledger_unavailable' });
    proxy.heal();
    assert.equal((await settlement.escrows([escrow])).value[0]?.state, 'locked');
  });
});
