import assert from 'node:assert/strict';
import { startSettledLocalnet } from '../../adapters/localnet-settlement.ts';
import { Ledger } from '../../core/internal-services.ts';
import { silentLog } from '../../core/platform/log.ts';
import { Self } from '../../core/services.ts';
import { type Doom, Lives } from '../money/lives.ts';
import { NETWORK, PluginAggregator } from '../plugins/support/aggregator.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import { LaunchpadServiceStandIn } from '../upstreams/launchpad-service.ts';

const DOOMS: readonly Doom[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((at) => ({ seam: 'commit' as const, at, after: true })),
  { seam: 'ledger', at: 1, after: true },
];
const MOST = 10_000_000n;

describe('a sponsor that is killed while it pays with the last of its wallet', function () {
  this.timeout(120_000);
  const clock = new BriskClock();
  const lives = new Lives(clock, () => {});
  let localnet: Awaited<ReturnType<typeof startSettledLocalnet>>;
  let service: LaunchpadServiceStandIn;
  let aggregator: PluginAggregator;
  before(async () => {
    localnet = await startSettledLocalnet({ log: silentLog, admin: true, networkId: NETWORK });
    service = await LaunchpadServiceStandIn.start();
    const sponsor = { apiUrl: service.url, apiKey: service.apiKey, $grant: [`http:${service.host}`] };
    aggregator = await PluginAggregator.start({
      clock,
      adapters: () => lives.begin('aggregator'),
      plugins: { sponsor: { ...sponsor, maxSolPerToken: 0.01, maxPerAgentPerDay: 100, maxPerDay: 100 } },
      settings: { ledger: { rpcUrl: localnet.url, ...localnet.settlement } },
    });
    service.connect(localnet.url, aggregator.node.get(Ledger).cluster.usdcMint);
    await localnet.faucet.sol(service.maker, 1_000_000_000n);
  });
  after(async () => {
    await aggregator?.stop();
    service?.stop();
    await localnet?.stop();
  });

  async function uploaded(): Promise<string> {
    const answer = await fetch(`${service.url}/token-launch/create-token-info`, {
      method: 'POST',
      headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'T', symbol: 'TT', description: 'T', imageUrl: 'https://a.example/a.png' }),
    });
    return ((await answer.json()) as any).response.tokenMint;
  }

  it('names the fee share that it has paid for, however little is left', async () => {
    const agent = aggregator.agent('ann');
    await aggregator.introduce(agent);
    const wallet = aggregator.node.get(Self).address;
    const lamports = async () => (await aggregator.node.get(Ledger).balances(wallet)).lamports;
    for (const [index, doom] of DOOMS.entries()) {
      await localnet.faucet.sol(wallet, MOST - ((await lamports()) % MOST));
      const before = await lamports();
      const body = { base_mint: await uploaded(), agent_pubkey: agent.id };
      const headers = { 'idempotency-key': `share-${index}` };
      const ask = () => aggregator.call('POST /sponsor/fee-share-config', { body, as: agent, headers });
      const life = lives.of('aggregator');
      life.arm(doom);
      await ask().catch(() => undefined);
      life.die();
      await aggregator.halt().catch(() => undefined);
      // The claim of the killed process on its call has run out.
      clock.shift(20_000);
      await aggregator.begin();
      let last: unknown;
      const answer = await happens('the call is answered', async () => {
        const found = await ask();
        last = found.body;
        return found.status === 200 ? found : undefined;
      }).catch(() => assert.fail(`${JSON.stringify(doom)}: ${JSON.stringify(last)}`));
      assert.deepEqual(service.share(answer.body.config_key)?.claimers, [agent.id]);
      assert.ok(before - (await lamports()) < 3_000_000n, 'it is paid once');
    }
  });
});
