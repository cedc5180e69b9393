import assert from 'node:assert/strict';
import { startSettledLocalnet } from '../../../adapters/localnet-settlement.ts';
import { BootError } from '../../../core/host/boot/boot-node.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { Self } from '../../../core/services.ts';
import { describeRedis, RedisServer } from '../../support/redis-server.ts';
import { NETWORK, PluginAggregator } from '../support/aggregator.ts';

describeRedis('two aggregators with billing over one Redis', function () {
  this.timeout(120_000);

  it('the second one does not start, since it would pay from another wallet', async () => {
    const redis = await RedisServer.start();
    const localnet = await startSettledLocalnet({ log: silentLog, admin: true, networkId: NETWORK, slotMs: 20 });
    const options = {
      storage: { use: 'redis', url: redis.url },
      plugins: { billing: { secret: 'one secret for the deposit addresses of both' } },
      settings: {
        mesh: { allowPrivatePeers: true },
        ledger: { rpcUrl: localnet.url, maxSolPerDay: '50', ...localnet.settlement },
      },
    };
    const first = await PluginAggregator.start(options);
    try {
      const wallet = first.node.get(Self).address;
      await assert.rejects(PluginAggregator.start(options), (error: unknown) => {
        assert.ok(error instanceof BootError);
        assert.match(
          JSON.stringify(error.report),
          new RegExp(`pays from the wallet ${wallet}, and this aggregator's is`),
        );
        return true;
      });
      await first.halt();
      await first.begin();
      assert.equal((await first.read('/ready')).services.writer.state, 'ok');
    } finally {
      await first.stop();
      await localnet.stop();
      await redis.stop();
    }
  });
});
