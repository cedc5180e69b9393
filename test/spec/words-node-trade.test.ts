import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { tradePlugin } from '../../plugins/trade/index.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { TradingServiceStandIn } from '../upstreams/trading-service.ts';
import { hasMembers } from './support/words.ts';

const KEY = 'a-key-of-the-trading-service';

/** The specification's rows of trading, in the names that existing clients send. */
describe('trading in the words of the specification', function () {
  this.timeout(90_000);
  let mesh: Mesh<'one' | 'bare'>;
  let one: Member;
  let service: TradingServiceStandIn;
  let usdc = '';
  let token = '';
  before(async () => {
    const at = { url: 'http://127.0.0.1:9' };
    const settings = () => ({ apiUrl: at.url, apiKey: KEY, known: token ? [token, usdc] : [] });
    mesh = await startMesh({
      nodes: ['one', 'bare'],
      storage: 'lowdb',
      isolated: true,
      usdc: { one: '100' },
      plugins: { one: [tradePlugin] },
      own: {
        one: {
          mesh: { allowPrivatePeers: true },
          get plugins() {
            return { trade: settings() };
          },
        },
      },
    });
    one = mesh.nodes.one;
    usdc = one.node.get(Ledger).cluster.usdcMint;
    service = await TradingServiceStandIn.start(mesh.localnet.url, KEY);
    await mesh.localnet.faucet.sol(service.maker, 5_000_000_000n);
    service.prices.set(usdc, { usdPrice: 1, decimals: 6 });
    token = await service.token(0.5);
    at.url = service.url;
    await one.restart();
  });
  after(async () => {
    await mesh?.stop();
    await service?.stop();
  });

  async function taken(method: string, path: string, body?: object): Promise<any> {
    const answer = await one.call(method, path, body);
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  const pair = () => ({ input_mint: usdc, output_mint: token });

  it('GET /trade/quote: Swap quote', async () => {
    const quote = await taken('GET', `/trade/quote?input_mint=${usdc}&output_mint=${token}&amount=1000000`);
    hasMembers(quote, { inputMint: [usdc], outputMint: [token], inAmount: ['1000000'], outAmount: ['2000000'] });
  });

  it('GET /trade/quote of a token for itself is refused with its field', async () => {
    const { status, body } = await one.get(`/trade/quote?input_mint=${usdc}&output_mint=${usdc}&amount=1`);
    assert.deepEqual([status, body.fields?.[0].pointer], [400, '/output_mint'], JSON.stringify(body));
  });

  it('GET /trade/price: Token price', async () => {
    const prices = await taken('GET', `/trade/price?ids=${token}`);
    hasMembers(prices[token], { usdPrice: [0.5] });
  });

  it('GET /trade/tokens: Supported tokens', async () => {
    const [found, ...others] = await taken('GET', `/trade/tokens?q=${token}`);
    assert.deepEqual([found.id, others], [token, []]);
  });

  it('POST /trade/swap: Execute a swap, which GET /portfolio/history tells', async () => {
    const done = await taken('POST', '/trade/swap', { ...pair(), amount: 1_000_000 });
    hasMembers(done, { signature: 'string', txid: 'string', in_amount: ['1000000'], out_amount: ['2000000'] });
    const event = await happens('an event', async () => {
      const { events } = (await one.get('/portfolio/history?type=swap')).body;
      return events.find(({ txid }: any) => txid === done.txid);
    });
    hasMembers(event, { type: ['swap'], input_mint: [usdc], output_mint: [token] });
  });

  it('POST /trade/limit/create, GET /trade/limit/orders, POST /trade/limit/cancel', async () => {
    const wanted = { ...pair(), making_amount: 3_000_000, taking_amount: 9_000_000 };
    const { order } = await taken('POST', '/trade/limit/create', wanted);
    const { orders } = await taken('GET', '/trade/limit/orders');
    assert.deepEqual(
      orders.map(({ orderKey }: any) => orderKey),
      [order],
    );
    hasMembers(await taken('POST', '/trade/limit/cancel', { orders: [order] }), { cancelled: [1], txids: 'array' });
    assert.deepEqual((await taken('GET', '/trade/limit/orders')).orders, []);
  });

  it('POST /trade/dca/create: Create DCA order', async () => {
    const wanted = { ...pair(), in_amount: 6_000_000, in_amount_per_cycle: 2_500_000, cycle_seconds: 3_600 };
    hasMembers(await taken('POST', '/trade/dca/create', wanted), { dca_key: 'base58' });
  });

  it('changes need the API secret, and a node without trading has no such path: it is feature-gated', async () => {
    for (const path of ['/trade/swap', '/trade/limit/create', '/trade/limit/cancel', '/trade/dca/create'])
      assert.equal((await one.post(path, {}, { authorization: 'Bearer no' })).status, 401, path);
    assert.equal((await mesh.nodes.bare.get(`/trade/price?ids=${token}`)).status, 404);
  });
});
