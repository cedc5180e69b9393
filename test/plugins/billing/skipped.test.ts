import assert from 'node:assert/strict';
import { happens } from '../../support/happens.ts';
import { RpcProxy } from '../../support/rpc-proxy.ts';
import { BillingBench, USDC } from './support.ts';

describe('a deposit that an RPC had forgotten when a later one was read', function () {
  this.timeout(60_000);
  let bench: BillingBench;
  let rpc: RpcProxy;
  before(async () => {
    rpc = await RpcProxy.start();
    bench = await BillingBench.start(
      'lowdb',
      {},
      {
        rpcUrl(url) {
          rpc.target = url;
          return rpc.url;
        },
      },
    );
  });
  after(async () => {
    assert.deepEqual(bench.aggregator.errors, []);
    await bench.stop();
    await rpc.stop();
  });

  it('is credited once the RPC shows it again, though it lies before the place up to which the history was read', async () => {
    const agent = await bench.funded(3n * USDC);
    const address = await bench.address(agent);
    const forgotten = await bench.localnet.faucet.usdc(address, 5n * USDC);
    rpc.changed.set('getSignaturesForAddress', async (call) => {
      const answer = await call.pass();
      return { ...answer, result: answer.result.filter(({ signature }: any) => signature !== forgotten) };
    });
    await bench.localnet.faucet.usdc(address, 2n * USDC);
    await happens('the later one is credited', async () => {
      bench.aggregator.clock.shift(3_000);
      return (await bench.balance(agent)) === 5n * USDC || undefined;
    });
    rpc.heal();
    await happens('both are', async () => {
      bench.aggregator.clock.shift(20_000);
      return (await bench.balance(agent)) === 10n * USDC || undefined;
    });
    const { body } = await bench.aggregator.call('GET /billing/history', { as: agent });
    assert.deepEqual(
      body.entries.map(({ amount_usdc }: any) => amount_usdc),
      ['5', '2', '3'],
    );
  });
});
