import assert from 'node:assert/strict';
import { startSettledLocalnet } from '../../adapters/localnet-settlement.ts';
import { Ledger } from '../../core/internal-services.ts';
import { silentLog } from '../../core/platform/log.ts';
import { Self } from '../../core/services.ts';
import type { TestAgent } from '../aggregator/support/agent.ts';
import { NETWORK, PluginAggregator } from '../plugins/support/aggregator.ts';
import { LaunchpadServiceStandIn } from '../upstreams/launchpad-service.ts';
import { PARTNER } from './support/launchpad-mesh.ts';

const PATH = '/sponsor/fee-share-config';

describe('the sponsor of fee shares', function () {
  this.timeout(60_000);
  let localnet: Awaited<ReturnType<typeof startSettledLocalnet>>;
  let service: LaunchpadServiceStandIn;
  let aggregator: PluginAggregator;
  let ann: TestAgent;
  let ben: TestAgent;
  let sponsor = '';
  before(async () => {
    localnet = await startSettledLocalnet({ log: silentLog, admin: true, networkId: NETWORK });
    service = await LaunchpadServiceStandIn.start();
    aggregator = await start({ maxPerAgentPerDay: 3, maxPerDay: 5 });
    service.connect(localnet.url, aggregator.node.get(Ledger).cluster.usdcMint);
    sponsor = aggregator.node.get(Self).address;
    await localnet.faucet.sol(service.maker, 1_000_000_000n);
    [ann, ben] = [aggregator.agent('ann'), aggregator.agent('ben')];
    await aggregator.introduce(ann, ben);
  });
  after(async () => {
    await aggregator.stop();
    service.stop();
    await localnet.stop();
  });

  function start(more: object) {
    return PluginAggregator.start({
      storage: { use: 'lowdb' },
      plugins: { sponsor: { apiUrl: service.url, apiKey: service.apiKey, $grant: [`http:${service.host}`], ...more } },
      settings: { ledger: { rpcUrl: localnet.url, ...localnet.settlement } },
    });
  }
  const ask = (body: object, as: TestAgent | undefined = ann) =>
    aggregator.call(`POST ${PATH}`, { body, ...(as && { as }) });
  const lamports = async () => (await aggregator.node.get(Ledger).balances(sponsor)).lamports;
  /** A token that somebody has uploaded. */
  async function uploaded(): Promise<string> {
    const answer = await fetch(`${service.url}/token-launch/create-token-info`, {
      method: 'POST',
      headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'T', symbol: 'TT', description: 'T', imageUrl: 'https://a.example/a.png' }),
    });
    return ((await answer.json()) as any).response.tokenMint;
  }

  it('sponsors nobody while its wallet is empty', async () => {
    const { status, body } = await ask({ base_mint: await uploaded(), agent_pubkey: ann.id });
    assert.deepEqual([status, body.code], [503, 'sponsor_unavailable']);
    await localnet.faucet.sol(sponsor, 400_000_000n);
  });

  it('pays for a fee share that gives the agent everything, once', async () => {
    const base_mint = await uploaded();
    const before = await lamports();
    const wish = { base_mint, agent_pubkey: ann.id, partner: PARTNER.partnerWallet, partnerConfig: PARTNER.partnerKey };
    const { status, body } = await ask(wish);
    assert.equal(status, 200, JSON.stringify(body));
    const share = service.share(body.config_key)!;
    assert.deepEqual([share.claimers, share.partner], [[ann.id], PARTNER.partnerWallet]);
    const paid = before - (await lamports());
    assert.ok(paid > 2_000_000n && paid < 3_000_000n, String(paid));
    assert.deepEqual((await ask(wish)).body, body);
    assert.equal(before - (await lamports()), paid);
    const other = await ask({ base_mint, agent_pubkey: ben.id }, ben);
    assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
  });

  it('listens to the agent itself alone, and to those that this aggregator knows', async () => {
    const base_mint = await uploaded();
    assert.equal((await aggregator.call(`POST ${PATH}`, { body: { base_mint, agent_pubkey: ann.id } })).status, 401);
    assert.equal((await ask({ base_mint, agent_pubkey: ann.id }, ben)).status, 403);
    const stranger = aggregator.agent('stranger');
    const { status, body } = await ask({ base_mint, agent_pubkey: stranger.id }, stranger);
    assert.deepEqual([status, body.code], [403, 'forbidden']);
    assert.match(body.detail, /BEACON/);
    const half = await ask({ base_mint, agent_pubkey: ann.id, partner: PARTNER.partnerWallet });
    assert.deepEqual([half.status, half.body.fields[0].pointer], [400, '/partner_config']);
  });

  it('signs nothing that costs more, or that a fee share does not need', async () => {
    const base_mint = await uploaded();
    const wish = { base_mint, agent_pubkey: ann.id };
    const before = await lamports();
    service.failNext('/fee-share/config', { status: 500 });
    assert.equal((await ask(wish)).status, 502);
    assert.equal(await lamports(), before);
    // The second of two transactions is the thief: the first one is paid, and is not paid again.
    service.failNext('/fee-share/config', 'theft');
    const { status, body } = await ask(wish);
    assert.deepEqual([status, body.code], [422, 'transaction_refused'], JSON.stringify(body));
    assert.equal((await ask(wish)).status, 200);
    assert.ok(before - (await lamports()) < 3_000_000n);
  });

  it('counts what it pays for, by agent and in all, over restarts', async () => {
    const sponsored = async (as: TestAgent) => ask({ base_mint: await uploaded(), agent_pubkey: as.id }, as);
    assert.equal((await sponsored(ann)).status, 200);
    await aggregator.halt();
    await aggregator.begin();
    const full = await sponsored(ann);
    assert.deepEqual(
      [full.status, full.body.code, full.body.cap],
      [429, 'rate_limited', 'plugins.sponsor.maxPerAgentPerDay'],
    );
    assert.ok(Number(full.headers.get('retry-after')) > 86_000);
    // What failed before anything was paid counts no more.
    service.failNext('/fee-share/config', { status: 500 });
    assert.equal((await sponsored(ben)).status, 502);
    for (let count = 0; count < 2; count++) assert.equal((await sponsored(ben)).status, 200);
    assert.equal((await sponsored(ben)).body.cap, 'plugins.sponsor.maxPerDay');
    aggregator.clock.shift(24 * 3_600_000 + 1);
    assert.equal((await sponsored(ben)).status, 200);
  });

  it('answers launchpad_not_configured without a key', async () => {
    const without = await PluginAggregator.start();
    try {
      const agent = without.agent('ann');
      const body = { base_mint: PARTNER.partnerKey, agent_pubkey: agent.id };
      const answer = await without.call(`POST ${PATH}`, { body, as: agent });
      assert.deepEqual([answer.status, answer.body.code], [503, 'launchpad_not_configured']);
    } finally {
      await without.stop();
    }
  });
});
