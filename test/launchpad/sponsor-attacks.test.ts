import assert from 'node:assert/strict';
import { Keypair } from '@solana/web3.js';
import { startSettledLocalnet } from '../../adapters/localnet-settlement.ts';
import { Ledger } from '../../core/internal-services.ts';
import { silentLog } from '../../core/platform/log.ts';
import { Self } from '../../core/services.ts';
import type { TestAgent } from '../aggregator/support/agent.ts';
import { NETWORK, PluginAggregator } from '../plugins/support/aggregator.ts';
import { happens } from '../support/happens.ts';
import { LaunchpadServiceStandIn } from '../upstreams/launchpad-service.ts';
import { Upstream } from '../upstreams/push/upstream.ts';

const address = () => Keypair.generate().publicKey.toBase58();

describe('attacks on the sponsor', function () {
  this.timeout(60_000);
  let localnet: Awaited<ReturnType<typeof startSettledLocalnet>>;
  before(async () => {
    localnet = await startSettledLocalnet({ log: silentLog, admin: true, networkId: NETWORK });
  });
  after(() => localnet?.stop());

  async function start(apiUrl: string, apiKey: string, more: object = {}) {
    const aggregator = await PluginAggregator.start({
      plugins: { sponsor: { apiUrl, apiKey, $grant: [`http:${new URL(apiUrl).host}`], ...more } },
      settings: { ledger: { rpcUrl: localnet.url, ...localnet.settlement } },
    });
    await localnet.faucet.sol(aggregator.node.get(Self).address, 1_000_000_000n);
    const agents: [TestAgent, TestAgent] = [aggregator.agent('eve'), aggregator.agent('ann')];
    await aggregator.introduce(...agents);
    const ask = (as: TestAgent, base_mint: string, also: object = {}) =>
      aggregator.call('POST /sponsor/fee-share-config', { body: { base_mint, agent_pubkey: as.id, ...also }, as });
    return { aggregator, agents, ask };
  }

  it('one agent that asks for many tokens holds nobody else up', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = await Upstream.start(async () => {
      await opened;
      return { status: 500, json: { success: false, error: 'down' } };
    });
    const { aggregator, agents, ask } = await start(`${slow.url}/api/v1`, 'a-key', { maxPerAgentPerDay: 100 });
    try {
      const [eve, ann] = agents;
      const many = Array.from({ length: 12 }, () => ask(eve, address()));
      await happens('the launchpad is asked', async () => (slow.requests.length > 0 ? true : undefined));
      const one = ask(ann, address());
      const refused = Promise.race([Promise.all(many.slice(1)), one]);
      open();
      await Promise.all([...many, one, refused]);
      const asked = slow.requests.map(({ body }) => JSON.parse(body).claimersArray[0]);
      assert.ok(asked.indexOf(ann.id) >= 0 && asked.indexOf(ann.id) <= 1, `${asked.indexOf(ann.id)} were before her`);
    } finally {
      await aggregator.stop();
      slow.stop();
    }
  });

  it('one token costs no more than its cap, however often it is asked for with other partners', async () => {
    const service = await LaunchpadServiceStandIn.start();
    const { aggregator, agents, ask } = await start(service.url, service.apiKey, { maxSolPerToken: 0.003 });
    try {
      const [eve] = agents;
      service.connect(localnet.url, aggregator.node.get(Ledger).cluster.usdcMint);
      await localnet.faucet.sol(service.maker, 1_000_000_000n);
      const answer = await fetch(`${service.url}/token-launch/create-token-info`, {
        method: 'POST',
        headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'T', symbol: 'TT', description: 'T', imageUrl: 'https://a.example/a.png' }),
      });
      const mint = ((await answer.json()) as any).response.tokenMint;
      const sponsor = aggregator.node.get(Self).address;
      const lamports = async () => (await aggregator.node.get(Ledger).balances(sponsor)).lamports;
      const before = await lamports();
      for (let attempt = 0; attempt < 4; attempt += 1) {
        service.failNext('/fee-share/config', 'theft');
        await ask(eve, mint, { partner: address(), partner_config: address() });
      }
      const paid = before - (await lamports());
      assert.ok(paid > 0n && paid <= 3_000_000n, `${paid} lamports`);
    } finally {
      await aggregator.stop();
      service.stop();
    }
  });
});
