import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { type LaunchpadMesh, startLaunchpadMesh } from '../launchpad/support/launchpad-mesh.ts';
import { happens } from '../support/happens.ts';
import { hasMembers } from './support/words.ts';

const IMAGE = 'https://images.example.com/mesh.png';

/** The rows of the specification about the launchpad, by its own paths, names and values. */
describe('the launchpad in the words of the specification', function () {
  this.timeout(90_000);
  let at: LaunchpadMesh;
  let mint = '';
  before(async () => {
    at = await startLaunchpadMesh();
    await happens(
      'the aggregator has heard of alice',
      async () => (await at.mesh.aggregator.agents()).some(({ agent_id }) => agent_id === at.alice.id) || undefined,
    );
  });
  after(() => at?.stop());

  it('POST /launchpad/launch answers `token_mint`, `metadata_uri`, `txid`', async () => {
    const { status, body } = await at.alice.post('/launchpad/launch', {
      ...{ name: 'Mesh Token', symbol: 'MESH', description: 'A token of an agent. It is for the tests.' },
      ...{ image_url: null, initial_buy_lamports: 10_000_000 },
    });
    assert.equal(status, 200, JSON.stringify(body));
    hasMembers(body, { token_mint: 'string', metadata_uri: 'string', txid: 'string' });
    assert.doesNotThrow(() => new URL(body.metadata_uri));
    mint = body.token_mint;
    await at.service.stock(mint, 1_000_000_000_000_000n, 5_000_000_000n);
  });

  it('a launch uploads metadata, has the sponsor make the fee share, and gives the creator 100% of the fees', () => {
    const lines = at.service.calls.map((line) => line.replace('/api/v1', ''));
    const steps = ['create-token-info', 'fee-share/config', 'create-launch-transaction'];
    const places = steps.map((step) => lines.findIndex((line) => line.endsWith(step)));
    assert.deepEqual(
      [...places].sort((one, other) => one - other),
      places,
    );
    const share = at.service.requests.find(({ path }) => path.endsWith('/fee-share/config'))!;
    const { payer, baseMint, claimersArray, basisPointsArray, partner, partnerConfig } = JSON.parse(share.body);
    assert.deepEqual([payer, baseMint], [at.sponsor, mint]);
    assert.deepEqual([claimersArray, basisPointsArray], [[at.alice.id], [10_000]]);
    assert.ok(partner && partnerConfig, 'both partner flags are set');
  });

  it('POST /launchpad/launch refuses an amount that no JSON number carries exactly, instead of reading another one', async () => {
    const token = { name: 'Mesh Token', symbol: 'MESH', description: 'A token of an agent.' };
    for (const initial_buy_lamports of [2 ** 53, 1e30]) {
      const { status, body } = await at.alice.post('/launchpad/launch', { ...token, initial_buy_lamports });
      assert.deepEqual([status, body.fields?.[0].pointer], [400, '/initial_buy_lamports'], JSON.stringify(body));
      assert.match(body.detail, /must be <= 9007199254740991/);
    }
  });

  it('GET /launchpad/config tells the API URL, the fee basis points and whether a partner key is configured', async () => {
    const { body } = await at.alice.get('/launchpad/config');
    hasMembers(body, { api_url: [at.service.url], fee_bps: 'integer', partner_configured: [true] });
    assert.ok(!JSON.stringify(body).includes(at.service.apiKey));
  });

  it('POST /launchpad/swap/quote answers the raw quote, which POST /launchpad/swap/execute takes as it is', async () => {
    const wish = { token_mint: mint, amount: 1_000_000, action: 'buy', slippage_bps: 50 };
    const quote = await at.alice.post('/launchpad/swap/quote', wish);
    assert.equal(quote.status, 200, JSON.stringify(quote.body));
    hasMembers(quote.body, { inAmount: ['1000000'], outputMint: [mint], routePlan: 'array', requestId: 'string' });
    const { status, body } = await at.alice.post('/launchpad/swap/execute', quote.body);
    assert.equal(status, 200, JSON.stringify(body));
    hasMembers(body, { txid: 'string', amount_in: [1_000_000], amount_out: 'integer' });
  });

  it('POST /launchpad/swap/execute quotes and broadcasts in one step, `buy` or `sell`', async () => {
    for (const [action, amount] of [
      ['buy', 1_000_000],
      ['sell', 1_000_000_000],
    ] as const) {
      const { status, body } = await at.alice.post('/launchpad/swap/execute', { token_mint: mint, amount, action });
      assert.equal(status, 200, JSON.stringify(body));
      hasMembers(body, { txid: 'string', amount_in: [amount], amount_out: 'integer' });
    }
  });

  it('GET /launchpad/pool/{token_mint}: reserves, price, TVL, volume', async () => {
    const { body } = await at.alice.get(`/launchpad/pool/${mint}`);
    hasMembers(body, {
      ...{ token_mint: [mint], sol_reserves: 'integer', price_usd: 'number' },
      ...{ tvl_usd: 'number', volume_24h_usd: 'number' },
    });
    assert.ok(BigInt(body.token_reserves) > 0n);
  });

  it('GET /launchpad/positions: `token_mint`, `balance`, `value_usd`', async () => {
    const { body } = await at.alice.get('/launchpad/positions');
    assert.equal(body.length, 1);
    hasMembers(body[0], { token_mint: [mint], balance: 'string', value_usd: 'number' });
  });

  it('GET /launchpad/claimable and POST /launchpad/claim: `claimable_usdc`, `txids`, `claimed_usdc`', async () => {
    at.service.earn(at.alice.id, mint, 20_000_000n);
    const [position] = (await at.alice.get('/launchpad/claimable')).body;
    hasMembers(position, { token_mint: [mint], claimable_usdc: [3] });
    const { body } = await at.alice.post('/launchpad/claim', { token_mint: mint });
    hasMembers(body, { txids: 'array', claimed_usdc: 'number' });
    for (const txid of body.txids) assert.equal(typeof txid, 'string');
  });

  it('GET /launchpad/chart-listing/check/{token_mint} and POST /launchpad/chart-listing/list', async () => {
    const { body } = await at.alice.get(`/launchpad/chart-listing/check/${mint}`);
    hasMembers(body, { available: [true], cost_usdc: [299] });
    const before = await at.alice.node.get(Ledger).usdc(at.alice.id);
    const listed = await at.alice.post('/launchpad/chart-listing/list', { token_mint: mint, image_url: IMAGE });
    assert.equal(listed.status, 200, JSON.stringify(listed.body));
    hasMembers(listed.body, { order_uuid: 'string', payment_txid: 'string' });
    assert.equal(before - (await at.alice.node.get(Ledger).usdc(at.alice.id)), 299_000_000n);
  });

  it('POST /launchpad/set-api-key rotates the key at runtime', async () => {
    at.service.apiKey = 'another-key-of-the-launchpad';
    const { status } = await at.alice.post('/launchpad/set-api-key', { api_key: at.service.apiKey });
    assert.ok(status >= 200 && status < 300);
    assert.equal((await at.alice.get('/launchpad/claimable')).status, 200);
  });

  it('every call needs the Bearer token', async () => {
    for (const path of ['config', `pool/${mint}`, 'positions', 'claimable', `chart-listing/check/${mint}`])
      assert.equal((await fetch(`${at.alice.url}/launchpad/${path}`)).status, 401, path);
  });

  it('`launchpad_not_configured`, `launchpad_rate_limited`, `insufficient_funds`', async () => {
    assert.equal((await at.bob.get('/launchpad/config')).body.code, 'launchpad_not_configured');
    at.service.failNext('/trade/quote', { status: 429 });
    const slow = await at.alice.post('/launchpad/swap/quote', { token_mint: mint, amount: 1, action: 'buy' });
    assert.deepEqual([slow.status, slow.body.code], [429, 'launchpad_rate_limited']);
    const poor = { token_mint: mint, amount: 900_000_000_000_000, action: 'buy' };
    assert.equal((await at.alice.post('/launchpad/swap/execute', poor)).body.code, 'insufficient_funds');
  });

  it('GET /portfolio/history tells of launchpad and swap events', async () => {
    for (const type of ['launchpad', 'swap'])
      await happens(type, async () => (await at.alice.get(`/portfolio/history?type=${type}`)).body.events[0]);
  });
});
