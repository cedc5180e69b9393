import assert from 'node:assert/strict';
import { Keypair, PublicKey } from '@solana/web3.js';
import { associatedTokenAddress } from '../../adapters/ledger-solana/instructions.ts';
import { Ledger } from '../../core/internal-services.ts';
import { tradePlugin } from '../../plugins/trade/index.ts';
import { eventually } from '../support/eventually.ts';
import { happens } from '../support/happens.ts';
import { KeptLog } from '../support/kept-log.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { TradingServiceStandIn } from '../upstreams/trading-service.ts';

const SOL = 'So11111111111111111111111111111111111111112';
const KEY = 'a-key-of-the-trading-service';

describe('the plugin trade', function () {
  this.timeout(90_000);
  const log = new KeptLog();
  let mesh: Mesh<'alice'>;
  let alice: Member;
  let service: TradingServiceStandIn;
  let usdc = '';
  let known = '';
  let unknown = '';
  let programs: readonly string[] | undefined;
  before(async () => {
    const port = { url: '' };
    mesh = await startMesh({
      nodes: ['alice'],
      storage: 'lowdb',
      log,
      isolated: true,
      usdc: { alice: '1000' },
      plugins: { alice: [tradePlugin] },
      own: {
        alice: {
          // More calls in a minute than a wallet has trades.
          api: { unlimited: ['127.0.0.1'] },
          mesh: { allowPrivatePeers: true },
          ledger: { maxSolPerTransaction: '0.3', maxSolPerDay: '5' },
          get plugins() {
            return {
              trade: {
                apiUrl: port.url || 'http://127.0.0.1:9',
                apiKey: KEY,
                maxUsdPerDay: 100,
                known: known ? [known, usdc] : [],
                ...(programs && { programs }),
              },
            };
          },
        },
      },
    });
    alice = mesh.nodes.alice;
    usdc = alice.node.get(Ledger).cluster.usdcMint;
    service = await TradingServiceStandIn.start(mesh.localnet.url, KEY);
    await mesh.localnet.faucet.sol(service.maker, 5_000_000_000n);
    await mesh.localnet.faucet.usdc(service.maker, 1_000_000_000n);
    service.prices.set(usdc, { usdPrice: 1, decimals: 6 });
    service.prices.set(SOL, { usdPrice: 150, decimals: 9 });
    known = await service.token(0.5);
    unknown = await service.token(2);
    port.url = service.url;
    await alice.restart();
  });
  after(async () => {
    await mesh?.stop();
    await service?.stop();
  });

  const holds = async (mint: string) => {
    const { tokens } = await alice.node.get(Ledger).balances(alice.id);
    return tokens.find((one) => one.mint === mint)?.amount ?? 0n;
  };
  const swap = (more: object = {}, headers: Record<string, string> = {}) =>
    alice.post('/trade/swap', { input_mint: usdc, output_mint: known, amount: 1_000_000, ...more }, headers);
  /** What a swap answers, which must not have moved a token. */
  const refused = async (more: object = {}) => {
    const before = await Promise.all([usdc, known, unknown].map(holds));
    const { status, body } = await swap(more);
    assert.deepEqual(await Promise.all([usdc, known, unknown].map(holds)), before);
    return { status, code: body.code, detail: body.detail, body };
  };

  it('quotes, prices and lists tokens as the service does, in either spelling', async () => {
    for (const [input, output, slippage] of [
      ['inputMint', 'outputMint', 'slippageBps'],
      ['input_mint', 'output_mint', 'slippage_bps'],
    ]) {
      const { status, body } = await alice.get(
        `/trade/quote?${input}=${usdc}&${output}=${known}&amount=1000000&${slippage}=100`,
      );
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual([body.outAmount, body.otherAmountThreshold, body.transaction], ['2000000', '1980000', null]);
    }
    const prices = await alice.get(`/trade/price?ids=${usdc},${alice.id}`);
    assert.deepEqual(Object.keys(prices.body), [usdc]);
    const tokens = await alice.get(`/trade/tokens?q=${known}`);
    assert.deepEqual([tokens.body.length, tokens.body[0].id], [1, known]);
    assert.deepEqual((await alice.get('/trade/tokens')).body, []);
  });

  it('asks for nothing with a symbol, amount or mint that does not fit, and names the field', async () => {
    const before = service.calls.length;
    for (const [more, pointer] of [
      [{ amount: 0 }, '/amount'],
      [{ amount: '1.5' }, '/amount'],
      [{ amount: '99999999999999999999' }, '/amount'],
      [{ input_mint: 'USDC' }, '/input_mint'],
      [{ output_mint: usdc }, '/output_mint'],
      [{ slippage_bps: 1_001 }, '/slippage_bps'],
      [{ slipage_bps: 10 }, '/slipage_bps'],
    ] as const) {
      const { status, body } = await swap(more);
      assert.equal(status, 400, JSON.stringify([more, body]));
      assert.ok(JSON.stringify(body).includes(pointer), JSON.stringify([pointer, body]));
    }
    assert.equal(service.calls.length, before);
  });

  it('asks for nothing with a mint that is none on this ledger, and names the field', async () => {
    const account = associatedTokenAddress(new PublicKey(alice.id), new PublicKey(usdc)).toBase58();
    const before = [service.calls.length, await holds(usdc)];
    const nobody = Keypair.generate().publicKey.toBase58();
    // An address that nobody has, a wallet, a token account.
    for (const mint of [nobody, alice.id, account])
      for (const [path, amounts] of [
        ['/trade/swap', { amount: 1_000_000 }],
        ['/trade/limit/create', { making_amount: 1_000_000, taking_amount: 2_000_000 }],
        ['/trade/dca/create', { in_amount: 6_000_000, in_amount_per_cycle: 2_000_000, cycle_seconds: 3_600 }],
      ] as const)
        for (const [field, pair] of [
          ['/output_mint', { input_mint: usdc, output_mint: mint }],
          ['/input_mint', { input_mint: mint, output_mint: usdc }],
        ] as const) {
          const { status, body } = await alice.post(path, { ...pair, ...amounts });
          assert.deepEqual([status, body.fields?.[0]?.pointer], [400, field], JSON.stringify([path, mint, body]));
        }
    assert.deepEqual([service.calls.length, await holds(usdc)], before);
  });

  it('swaps, and says what left and what came', async () => {
    const [gave, got] = [await holds(usdc), await holds(known)];
    const { status, body } = await swap({ amount: '2000000' });
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(body.status, /confirmed|final/);
    assert.deepEqual([body.in_amount, body.out_amount, body.signature], ['2000000', '4000000', body.txid]);
    assert.equal(gave - (await holds(usdc)), 2_000_000n);
    assert.equal((await holds(known)) - got, 4_000_000n);
    const told = await happens('an entry', async () =>
      (await alice.get('/portfolio/history?type=swap')).body.events.find((one: any) => one.txid === body.txid),
    );
    assert.deepEqual(
      [told.source, told.input_mint, told.output_mint, told.input_amount, told.output_amount],
      ['trade', usdc, known, '2000000', '4000000'],
    );
  });

  it('swaps SOL, fees and rent beside it', async () => {
    const got = await holds(known);
    const { status, body } = await swap({ inputMint: SOL, input_mint: undefined, amount: 10_000_000 });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await holds(known)) - got, 3_000_000n);
  });

  it('swaps once for a repeated call', async () => {
    const before = await holds(usdc);
    const headers = { 'idempotency-key': 'one-swap' };
    const [one, two] = [await swap({}, headers), await swap({}, headers)];
    assert.equal(one.body.txid, two.body.txid);
    assert.equal(before - (await holds(usdc)), 1_000_000n);
  });

  it('needs the secret for all that moves money', async () => {
    for (const path of [
      '/trade/swap',
      '/trade/limit/create',
      '/trade/limit/cancel',
      '/trade/dca/create',
      `/trade/swap/confirm/${'0'.repeat(16)}`,
    ])
      assert.equal((await alice.post(path, {}, { authorization: 'Bearer wrong' })).status, 401, path);
  });

  it('asks before it swaps into a token that is neither known nor verified; five minutes, once', async () => {
    const asked = await swap({ output_mint: unknown });
    assert.equal(asked.status, 202, JSON.stringify(asked.body));
    assert.equal(asked.body.status, 'pending_confirmation');
    const id = asked.body.swap_id;
    const [waiting] = (await alice.get('/trade/swap/pending')).body.pending;
    assert.deepEqual([waiting.swap_id, waiting.amount, waiting.output_mint], [id, '1000000', unknown]);
    assert.equal(await holds(unknown), 0n);
    const done = await alice.post(`/trade/swap/confirm/${id}`);
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.equal(await holds(unknown), 500_000n);
    assert.equal((await alice.post(`/trade/swap/confirm/${id}`)).body.code, 'swap_over');
    assert.equal((await alice.post(`/trade/swap/confirm/${'0'.repeat(16)}`)).status, 404);
    const other = (await swap({ output_mint: unknown })).body.swap_id;
    assert.deepEqual((await alice.post(`/trade/swap/reject/${other}`)).body, { status: 'rejected', swap_id: other });
    assert.equal((await alice.post(`/trade/swap/confirm/${other}`)).status, 410);
    assert.equal((await swap({ output_mint: unknown, force: true })).status, 200);
    service.verified.add(unknown);
    assert.equal((await swap({ output_mint: unknown })).status, 200);
  });

  it('refuses what the service builds otherwise than it was asked, by name, and logs it', async () => {
    service.failNext('/swap/v2/order', 'theft');
    const theft = await refused();
    assert.deepEqual([theft.status, theft.code], [422, 'transaction_refused']);
    const logged = log.warnings.filter(({ text }) => text === 'a transaction of the trading service was refused');
    assert.deepEqual(logged.at(-1)?.fields.refusals, theft.body.refusals);
    assert.match(theft.detail, /takes 2000000 of .*, and 1000000 is allowed/);
    service.failNext('/swap/v2/order', 'delegate');
    assert.match((await refused()).detail, new RegExp(`lets ${service.maker} spend from the token account`));
    service.failNext('/swap/v2/order', 'short');
    assert.match((await refused()).detail, /gives 200000 of .*, and 1990000 is the least/);
    for (const failure of ['other-tokens', 'other-amount'] as const) {
      service.failNext('/swap/v2/order', failure);
      assert.equal((await refused()).code, 'upstream_failed');
    }
  });

  it('keeps a quote that the caller saw, and refuses with both numbers when the price has moved', async () => {
    const quote = (await alice.get(`/trade/quote?input_mint=${usdc}&output_mint=${known}&amount=1000000`)).body;
    service.prices.set(known, { usdPrice: 0.6, decimals: 6 });
    const moved = await refused({ quote });
    assert.deepEqual(
      [moved.status, moved.code, moved.body.quoted, moved.body.now],
      [409, 'quote_changed', '1990000', '1666666'],
    );
    service.prices.set(known, { usdPrice: 0.5, decimals: 6 });
    assert.equal((await swap({ quote })).status, 200);
  });

  it('keeps the quote of a swap that waits for its confirmation', async () => {
    const fresh = await service.token(2);
    const query = `input_mint=${usdc}&output_mint=${fresh}&amount=1000000`;
    const quote = (await alice.get(`/trade/quote?${query}`)).body;
    const asked = await swap({ output_mint: fresh, quote });
    assert.equal(asked.status, 202, JSON.stringify(asked.body));
    const { pending } = (await alice.get('/trade/swap/pending')).body;
    assert.equal(pending.find((one: any) => one.swap_id === asked.body.swap_id).quoted, '497500');
    service.prices.set(fresh, { usdPrice: 2.02, decimals: 6 });
    const moved = await alice.post(`/trade/swap/confirm/${asked.body.swap_id}`);
    assert.deepEqual(
      [moved.status, moved.body.code, moved.body.quoted, moved.body.now],
      [409, 'quote_changed', '497500', '495049'],
    );
    assert.equal(await holds(fresh), 0n);
    service.prices.set(fresh, { usdPrice: 2.01, decimals: 6 });
    assert.equal((await alice.post(`/trade/swap/confirm/${asked.body.swap_id}`)).status, 200);
  });

  it('refuses a quote for something else with its field, before it asks the service', async () => {
    const quote = (await alice.get(`/trade/quote?input_mint=${usdc}&output_mint=${known}&amount=1000000`)).body;
    const asked = service.calls.length;
    for (const [more, pointer] of [
      [{ amount: 2_000_000 }, '/quote/inAmount'],
      [{ output_mint: unknown }, '/quote/outputMint'],
      [{ input_mint: SOL }, '/quote/inputMint'],
      [{ quote: { ...quote, otherAmountThreshold: '1e3' } }, '/quote/otherAmountThreshold'],
      [{ quote: { outAmount: '-1' } }, '/quote/outAmount'],
    ] as const) {
      const { status, body } = await refused({ quote, ...more });
      assert.deepEqual([status, body.fields?.[0]?.pointer], [400, pointer], JSON.stringify(body));
    }
    assert.equal(service.calls.length, asked);
  });

  it('keeps the caps, by the prices of the moment', async () => {
    const one = await refused({ amount: 26_000_000 });
    assert.deepEqual([one.status, one.code, one.body.cap], [403, 'trade_cap', 'plugins.trade.maxUsdPerTrade']);
    const mint = await service.token(1);
    service.prices.delete(mint);
    const unpriced = await refused({ input_mint: mint });
    assert.match(unpriced.detail, /has no price, so the caps cannot be kept/);
  });

  it('says how the service failed, and that nothing was done', async () => {
    service.failNext('/swap/v2/order', { status: 429, headers: { 'retry-after': '7' } });
    const slow = await swap();
    assert.deepEqual([slow.status, slow.body.code, slow.headers.get('retry-after')], [429, 'rate_limited', '7']);
    for (const failure of [
      { status: 500 },
      { status: 503, body: '<html>' },
      { status: 200, body: '[]' },
      'malformed',
    ] as const) {
      service.failNext('/swap/v2/order', failure);
      const { status, code } = await refused();
      assert.deepEqual([status, code], [502, 'upstream_failed'], JSON.stringify(failure));
    }
  });

  it('opens, lists and takes back a limit order', async () => {
    const before = await holds(usdc);
    const wanted = { input_mint: usdc, output_mint: known, making_amount: 3_000_000, taking_amount: '9000000' };
    const opened = await alice.post('/trade/limit/create', wanted);
    assert.equal(opened.status, 200, JSON.stringify(opened.body));
    assert.equal(before - (await holds(usdc)), 3_000_000n);
    const { orders } = (await alice.get('/trade/limit/orders')).body;
    assert.deepEqual([orders.length, orders[0].orderKey, orders[0].openTx], [1, opened.body.order, opened.body.txid]);
    assert.equal((await alice.post('/trade/limit/create', { ...wanted, expired_at: 1_600_000_000 })).status, 400);
    service.failNext('/trigger/v1/createOrder', 'theft');
    assert.equal((await alice.post('/trade/limit/create', wanted)).body.code, 'transaction_refused');
    const cancelled = await alice.post('/trade/limit/cancel', { orders: [opened.body.order] });
    assert.deepEqual(
      [cancelled.status, cancelled.body.cancelled, cancelled.body.txids.length],
      [200, 1, 1],
      JSON.stringify(cancelled.body),
    );
    assert.equal(await holds(usdc), before);
    assert.equal((await alice.post('/trade/limit/cancel', { orders: [opened.body.order] })).status, 502);
  });

  it('opens a recurring order, and names it', async () => {
    const wanted = {
      input_mint: usdc,
      output_mint: known,
      in_amount: 6_000_000,
      in_amount_per_cycle: 2_500_000,
      cycle_seconds: 3_600,
    };
    const opened = await alice.post('/trade/dca/create', wanted);
    assert.equal(opened.status, 200, JSON.stringify(opened.body));
    assert.match(opened.body.dca_key, /^[1-9A-Za-z]{32,44}$/);
    assert.equal((await alice.post('/trade/dca/create', { ...wanted, in_amount_per_cycle: 6_000_000 })).status, 400);
  });

  it('names no program but those of the operator, where they are listed', async () => {
    service.failNext('/swap/v2/order', 'other-program');
    assert.equal((await swap()).status, 200, 'any is allowed unless they are listed');
    programs = ['JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'];
    await alice.restart();
    service.failNext('/swap/v2/order', 'other-program');
    const { status, detail, body } = await refused();
    assert.deepEqual([status, body.code, body.refusals.length], [422, 'transaction_refused', 1]);
    assert.match(detail, /could call AddressLookupTab1e1+, which plugins\.trade\.programs does not list/);
    assert.equal((await swap()).status, 200);
    const limit = { input_mint: usdc, output_mint: known, making_amount: 3_000_000, taking_amount: '9000000' };
    assert.equal((await alice.post('/trade/limit/create', limit)).status, 200);
  });

  it('stops at what it may trade in 24 hours, over restarts', async () => {
    await alice.restart();
    let last = await swap({ amount: 20_000_000 });
    for (let tries = 0; last.status === 200 && tries < 10; tries++) last = await swap({ amount: 20_000_000 });
    assert.deepEqual([last.status, last.body.cap], [403, 'plugins.trade.maxUsdPerDay'], JSON.stringify(last.body));
    await eventually(async () => (await alice.get('/ready')).status === 200);
  });
});
