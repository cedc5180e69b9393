import assert from 'node:assert/strict';
import { happens } from '../../support/happens.ts';
import { RpcProxy } from '../../support/rpc-proxy.ts';
import { BillingBench, USDC } from './support.ts';

describe('a deposit that the RPC lists and does not show', function () {
  this.timeout(90_000);
  let proxy: RpcProxy;
  let bench: BillingBench;
  before(async () => {
    proxy = await RpcProxy.start();
    bench = await BillingBench.start(
      'lowdb',
      { sweepFrom: '500' },
      {
        rpcUrl(url) {
          proxy.target = url;
          return proxy.url;
        },
      },
    );
  });
  after(async () => {
    await bench?.stop();
    await proxy?.stop();
  });

  it('is named to its agent, guessed at by nobody, keeps no other waiting, and is credited once it is shown', async () => {
    const agent = await bench.agent();
    const address = await bench.address(agent);
    const hidden = new Set<string>();
    proxy.changed.set('getTransaction', async ({ id, params, pass }) => {
      if (hidden.size === 0) hidden.add(params[0]);
      return hidden.has(params[0]) ? { jsonrpc: '2.0', id, result: null } : pass();
    });
    await bench.localnet.faucet.usdc(address, 3n * USDC);
    const passes = (what: string, until: (account: any) => boolean) =>
      happens(what, async () => {
        bench.aggregator.clock.shift(7_000);
        const account = await bench.account(agent);
        return until(account) ? account : undefined;
      });
    const named = await passes('the transaction is named', ({ unread }) => unread !== undefined);
    assert.deepEqual([named.unread, named.balance_usdc], [[...hidden], '0']);
    await bench.localnet.faucet.usdc(address, 2n * USDC);
    const later = await passes('the next one is credited', ({ balance_usdc }) => balance_usdc !== '0');
    assert.deepEqual([later.unread, later.balance_usdc], [[...hidden], '2']);
    proxy.heal();
    const whole = await passes('both are credited', ({ balance_usdc }) => balance_usdc !== '2');
    assert.deepEqual([whole.unread, whole.balance_usdc], [undefined, '5']);
  });
});
