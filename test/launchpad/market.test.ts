import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { eventually } from '../support/eventually.ts';
import { happens } from '../support/happens.ts';
import { KeptLog } from '../support/kept-log.ts';
import { type LaunchpadMesh, startLaunchpadMesh, WISH } from './support/launchpad-mesh.ts';

const SOL = 'So11111111111111111111111111111111111111112';
const IMAGE = 'https://images.example.com/mesh.png';

describe('trades, fees and listings of launched tokens', function () {
  this.timeout(90_000);
  const log = new KeptLog();
  let at: LaunchpadMesh;
  let mint = '';
  before(async () => {
    at = await startLaunchpadMesh({ maxListingUsdc: 350 }, { maxEscrow: '320' }, { log });
    await happens(
      'the aggregator has heard of alice',
      async () => (await at.mesh.aggregator.agents()).some(({ agent_id }) => agent_id === at.alice.id) || undefined,
    );
    mint = await launched('MESH');
  });
  after(() => at?.stop());

  async function launched(symbol: string): Promise<string> {
    const { status, body } = await at.alice.post('/launchpad/launch', { ...WISH, symbol });
    assert.equal(status, 200, JSON.stringify(body));
    await at.service.stock(body.token_mint, 1_000_000_000_000_000n, 5_000_000_000n);
    return body.token_mint;
  }
  const wallet = () => at.alice.node.get(Ledger).balances(at.alice.id);
  const holds = async (of = mint) => (await wallet()).tokens.find((one) => one.mint === of)?.amount ?? 0n;
  const execute = (body: object, headers: Record<string, string> = {}) =>
    at.alice.post('/launchpad/swap/execute', body, headers);
  const quote = (more: object = {}) =>
    at.alice.post('/launchpad/swap/quote', { token_mint: mint, amount: 10_000_000, action: 'buy', ...more });
  /** What a call answers, which must not have moved anything. */
  async function unmoved(call: () => ReturnType<typeof execute>) {
    const before = await wallet();
    const answer = await call();
    assert.deepEqual(await wallet(), before);
    return answer;
  }

  describe('swaps', () => {
    it('quotes as the launchpad does, every member as it came', async () => {
      const { status, body } = await quote({ slippage_bps: 100 });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual([body.inputMint, body.outputMint], [SOL, mint]);
      assert.deepEqual([body.inAmount, body.outAmount, body.minOutAmount], ['10000000', '10000000000', '9900000000']);
      assert.deepEqual([body.slippageBps, body.priceImpactPct, body.simulatedComputeUnits], [100, '0.10', null]);
      assert.equal(body.routePlan.length, 1);
      const sell = (await quote({ action: 'sell' })).body;
      assert.deepEqual([sell.inputMint, sell.outputMint, sell.slippageBps], [mint, SOL, 200]);
    });

    it('buys by a quote in one step', async () => {
      const before = await holds();
      const { status, body } = await execute({ token_mint: mint, amount: 10_000_000, action: 'buy' });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual([body.amount_in, body.amount_out], [10_000_000, 10_000_000_000]);
      assert.equal((await holds()) - before, 10_000_000_000n);
      const entry = await happens('an entry', async () =>
        (await at.alice.get('/portfolio/history?type=swap')).body.events.find((one: any) => one.txid === body.txid),
      );
      assert.deepEqual(
        [entry.action, entry.input_mint, entry.output_mint, entry.input_amount, entry.output_amount],
        ['buy', SOL, mint, '10000000', '10000000000'],
      );
    });

    it('takes the quote as it was answered: as the body, and as a member', async () => {
      const before = await holds();
      const one = await execute((await quote()).body);
      const two = await execute({ token_mint: mint, amount: 10_000_000, action: 'buy', quote: (await quote()).body });
      const three = await execute({ quoteResponse: (await quote()).body });
      for (const { status, body } of [one, two, three]) assert.equal(status, 200, JSON.stringify(body));
      assert.equal((await holds()) - before, 30_000_000_000n);
    });

    it('sells', async () => {
      const [tokens, { lamports }] = [await holds(), await wallet()];
      const { status, body } = await execute({ token_mint: mint, amount: '20000000000', action: 'sell' });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(tokens - (await holds()), 20_000_000_000n);
      const gained = (await wallet()).lamports - lamports;
      assert.ok(gained > 19_900_000n && gained <= 20_000_000n, String(gained));
      assert.equal(BigInt(body.amount_out), gained);
    });

    it('swaps once for a repeated call', async () => {
      const before = await holds();
      const wish = { token_mint: mint, amount: 10_000_000, action: 'buy' };
      const headers = { 'idempotency-key': 'one' };
      const [one, two] = [await execute(wish, headers), await execute(wish, headers)];
      assert.deepEqual(one.body, two.body);
      assert.equal((await holds()) - before, 10_000_000_000n);
    });

    it('refuses a transaction that is not the quote, by name, and logs it', async () => {
      const logged = () =>
        log.warnings.filter(({ text }) => text === 'a transaction of the launchpad was refused').at(-1)?.fields
          .refusals;
      const buy = () => execute({ token_mint: mint, amount: 10_000_000, action: 'buy' });
      for (const [failure, reason] of [
        ['theft', /takes \d+ lamports, and 20000000 is allowed/],
        ['short', /gives 1000000000 of .*, and 9800000000 is the least/],
        ['other-program', /could call Stake1/],
      ] as const) {
        at.service.failNext('/trade/swap', failure);
        const { status, body } = await unmoved(buy);
        assert.deepEqual([status, body.code], [422, 'transaction_refused'], failure);
        assert.match(body.detail, reason);
        assert.deepEqual(logged(), body.refusals);
      }
      at.service.failNext('/trade/swap', 'short');
      const sale = await unmoved(() => execute({ token_mint: mint, amount: 20_000_000_000, action: 'sell' }));
      assert.equal(sale.body.code, 'transaction_refused', JSON.stringify(sale.body));
      at.service.failNext('/trade/swap', 'short');
      const small = await unmoved(() => execute({ token_mint: mint, amount: 9_000_000_000, action: 'sell' }));
      assert.match(small.body.detail, /gives \d+ lamports, and 6820000 is the least/);
      at.service.failNext('/trade/swap', 'theft');
      const tiny = await unmoved(() => execute({ token_mint: mint, amount: 1_000_000_000, action: 'sell' }));
      assert.match(tiny.body.detail, /of .*, and 1000000000 is allowed/);
    });

    it('refuses a quote that is for something else, with its field', async () => {
      const own = { token_mint: mint, amount: 10_000_000, action: 'buy' };
      const { body: given } = await quote();
      for (const [body, pointer] of [
        [{ ...own, amount: 9, quote: given }, '/quote'],
        [{ ...own, action: 'sell', quote: given }, '/quote'],
        [{ ...own, token_mint: at.alice.id, quote: given }, '/quote'],
        [{ ...own, slippage_bps: 1, quote: given }, '/quote'],
        [{ ...own, quote: { ...given, inAmount: '1e3' } }, '/quote/inAmount'],
        [{ ...given, outputMint: SOL }, ''],
        [{ ...given, minOutAmount: '10000000001' }, ''],
        [{ amount: 5, action: 'buy' }, '/token_mint'],
        [{ token_mint: mint, action: 'buy' }, '/amount'],
        [{ token_mint: mint, amount: 5 }, '/action'],
        [{ ...own, slipage_bps: 5 }, '/slipage_bps'],
        [{ ...own, slippage_bps: 10_001 }, '/slippage_bps'],
        [{ ...own, amount: 0 }, '/amount'],
        [{ ...own, amount: '18446744073709551616' }, '/amount'],
        [{ ...own, token_mint: SOL }, '/token_mint'],
      ] as const) {
        const { status, body: said } = await unmoved(() => execute(body));
        assert.deepEqual([status, said.fields?.[0]?.pointer], [400, pointer], JSON.stringify([body, said]));
      }
      const changed = await unmoved(() => execute({ ...given, priceImpactPct: '0.00' }));
      assert.deepEqual([changed.status, changed.body.code], [422, 'launchpad_refused']);
    });

    it('refuses a quote that the market keeps no more with both numbers, whoever finds it out', async () => {
      const { body: given } = await quote({ slippage_bps: 100 });
      const wish = { token_mint: mint, amount: 10_000_000, action: 'buy' };
      try {
        at.service.rate = 990n;
        assert.equal((await execute({ ...wish, quote: given })).status, 200, 'within its slippage');
        at.service.rate = 980n;
        for (const buildsWorse of [false, true]) {
          at.service.buildsWorse = buildsWorse;
          const { status, body } = await unmoved(() => execute({ ...wish, quote: given }));
          assert.deepEqual(
            [status, body.code, body.quoted, body.now],
            [409, 'launchpad_quote_changed', '9900000000', '9800000000'],
            JSON.stringify(body),
          );
          assert.match(
            body.detail,
            /promised at least 9900000000, and the market gives 9800000000 now; nothing was sent/,
          );
        }
        at.service.buildsWorse = false;
        at.service.failNext('/trade/swap', { status: 422 });
        const other = await unmoved(() => execute(wish));
        assert.deepEqual([other.status, other.body.code], [422, 'launchpad_refused'], 'the market had not moved');
      } finally {
        Object.assign(at.service, { rate: 1_000n, buildsWorse: false });
      }
    });

    it('keeps the cap on slippage', async () => {
      const { status, body } = await unmoved(() =>
        execute({ token_mint: mint, amount: 10_000_000, action: 'buy', slippage_bps: 1_500 }),
      );
      assert.deepEqual(
        [status, body.code, body.cap, body.limit, body.needed],
        [403, 'launchpad_cap', 'plugins.launchpad.maxSlippageBps', 1_000, 1_500],
      );
    });

    it('answers insufficient_funds where the wallet holds too little', async () => {
      for (const wish of [
        { token_mint: mint, amount: 900_000_000_000, action: 'buy' },
        { token_mint: mint, amount: '900000000000000000', action: 'sell' },
      ])
        assert.deepEqual((await unmoved(() => execute(wish))).body.code, 'insufficient_funds');
    });
  });

  describe('pools and positions', () => {
    it('reads a pool from the ledger, before and after its migration', async () => {
      const own = await launched('POOL');
      const curve = await at.alice.get(`/launchpad/pool/${own}`);
      assert.equal(curve.status, 200, JSON.stringify(curve.body));
      // A thousandth of a lamport for a unit, 9 decimals, 150 dollars.
      assert.deepEqual(curve.body, {
        ...{ token_mint: own, sol_reserves: 30_000_000_000, token_reserves: '900000000000000000' },
        ...{ price_usd: curve.body.price_usd, tvl_usd: 9_000, volume_24h_usd: 0 },
      });
      assert.ok(Math.abs(curve.body.price_usd - 0.15) < 1e-6, String(curve.body.price_usd));
      await at.service.migrate(own);
      const pool = (await at.alice.get(`/launchpad/pool/${own}`)).body;
      assert.deepEqual([pool.sol_reserves, pool.token_reserves], [85_000_000_000, 200_000_000_000_000]);
      assert.ok(Math.abs(pool.price_usd - 150 / 500) < 1e-6, String(pool.price_usd));
      at.service.prices.set(own, { usd: 0.25, liquidity: 20_000, volume: 1_234.5 });
      at.mesh.advance(31);
      const listed = (await at.alice.get(`/launchpad/pool/${own}`)).body;
      assert.deepEqual([listed.price_usd, listed.tvl_usd, listed.volume_24h_usd], [0.25, 20_000, 1_234.5]);
    });

    it('knows no pool of a token that is not of the launchpad', async () => {
      const { status, body } = await at.alice.get(`/launchpad/pool/${at.alice.id}`);
      assert.deepEqual([status, body.code], [404, 'not_found']);
      assert.equal((await at.alice.get('/launchpad/pool/x')).status, 400);
    });

    it('lists what the wallet holds of such tokens, with its worth', async () => {
      at.service.prices.set(mint, { usd: 2, liquidity: 10, volume: 0 });
      at.mesh.advance(31);
      const { status, body } = await at.alice.get('/launchpad/positions');
      assert.equal(status, 200, JSON.stringify(body));
      const amount = await holds();
      assert.deepEqual(body, [{ token_mint: mint, balance: amount.toString(), value_usd: (Number(amount) / 1e9) * 2 }]);
    });

    it('finds tokens that came from elsewhere, and asks once about each', async () => {
      assert.deepEqual((await at.bob.post('/launchpad/set-api-key', { api_key: at.service.apiKey })).status, 204);
      assert.deepEqual((await at.bob.get('/launchpad/positions')).body, [], 'bob has USDC alone');
      await at.service.gift(mint, at.bob.id, 5_000_000_000n);
      const lookups = at.service.callsOf('/solana/bags/pools/token-mint');
      for (let call = 0; call < 2; call++) {
        const { body } = await at.bob.get('/launchpad/positions');
        assert.deepEqual([body.length, body[0]?.token_mint, body[0]?.balance], [1, mint, '5000000000']);
      }
      assert.equal(at.service.callsOf('/solana/bags/pools/token-mint'), lookups + 1);
    });
  });

  describe('fees', () => {
    it('shows what can be claimed by token, in SOL and in USDC', async () => {
      assert.deepEqual((await at.alice.get('/launchpad/claimable')).body, []);
      at.service.earn(at.alice.id, mint, 40_000_001n);
      const { body } = await at.alice.get('/launchpad/claimable');
      assert.deepEqual(body, [{ token_mint: mint, claimable_usdc: 6, claimable_lamports: 40_000_001 }]);
    });

    it('claims in two transactions, passes over a row without one, and tells the history', async () => {
      const { lamports } = await wallet();
      const { status, body } = await at.alice.post('/launchpad/claim', { token_mint: mint });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.txids.length, 2);
      const gained = (await wallet()).lamports - lamports;
      assert.equal(BigInt(body.claimed_lamports), gained);
      assert.ok(gained > 39_900_000n);
      assert.equal(body.claimed_usdc, Math.floor((Number(gained) / 1e9) * 150 * 1e6) / 1e6);
      const entries = await happens('both entries', async () => {
        const { events } = (await at.alice.get('/portfolio/history?type=launchpad')).body;
        const found = events.filter(({ txid }: any) => body.txids.includes(txid));
        return found.length === 2 ? found : undefined;
      });
      assert.deepEqual([entries[0].action, entries[0].token_mint], ['claim', mint]);
    });

    it('claims nothing where there is nothing', async () => {
      const { body } = await at.alice.post('/launchpad/claim', { token_mint: mint });
      assert.deepEqual(body, { txids: [], claimed_usdc: 0, claimed_lamports: 0 });
    });

    it('claims once for a repeated call, which a refusal in its middle does not lose', async () => {
      at.service.earn(at.alice.id, mint, 30_000_000n);
      const headers = { 'idempotency-key': 'claim-one' };
      const claim = () => at.alice.post('/launchpad/claim', { token_mint: mint }, headers);
      for (const failure of ['theft', 'other-program'] as const) {
        at.service.failNext('/token-launch/claim-txs/v3', failure);
        const { status, body } = await unmoved(claim);
        assert.deepEqual([status, body.code], [422, 'transaction_refused'], failure);
      }
      const { lamports } = await wallet();
      const [one, two] = [await claim(), await claim()];
      assert.equal(one.status, 200, JSON.stringify(one.body));
      assert.deepEqual(one.body, two.body);
      assert.equal((await wallet()).lamports - lamports, BigInt(one.body.claimed_lamports));
    });

    it('needs a price before it sends anything', async () => {
      at.service.earn(at.alice.id, mint, 10_000_000n);
      const sol = at.service.prices.get(SOL)!;
      at.service.prices.delete(SOL);
      at.mesh.advance(31);
      const { status, body } = await unmoved(() => at.alice.post('/launchpad/claim', { token_mint: mint }));
      assert.deepEqual([status, body.code], [502, 'upstream_failed']);
      at.service.prices.set(SOL, sol);
      at.mesh.advance(31);
      assert.equal((await at.alice.post('/launchpad/claim', { token_mint: mint })).body.txids.length, 2);
    });
  });

  describe('listings at the chart site', () => {
    const list = (more: object = {}) =>
      at.alice.post('/launchpad/chart-listing/list', { token_mint: mint, image_url: IMAGE, ...more });
    const check = async (of = mint) => (await at.alice.get(`/launchpad/chart-listing/check/${of}`)).body;

    it('tells whether a token can be listed, and the price', async () => {
      assert.deepEqual(await check(), { available: true, cost_usdc: 299 });
    });

    it('keeps the ceiling of the operator, and those of all USDC', async () => {
      at.service.listingUsdc = 400;
      const dear = await unmoved(list);
      assert.deepEqual(
        [dear.status, dear.body.code, dear.body.cap, dear.body.needed],
        [403, 'launchpad_cap', 'plugins.launchpad.maxListingUsdc', 400],
      );
      assert.equal((await check()).cost_usdc, 400, 'what an order said');
      at.service.listingUsdc = 340;
      const capped = await unmoved(list);
      assert.deepEqual(
        [capped.status, capped.body.code, capped.body.cap],
        [403, 'spending_cap', 'core.money.maxEscrow'],
      );
    });

    it('costs no more than was told before; the new price is told, and paid where it is asked for again', async () => {
      assert.equal((await check()).cost_usdc, 340);
      at.service.listingUsdc = 345.5;
      const risen = await unmoved(list);
      assert.deepEqual(
        [risen.status, risen.body.code, risen.body.quoted, risen.body.now],
        [409, 'launchpad_quote_changed', '340', '345.5'],
      );
      assert.equal((await check()).cost_usdc, 345.5);
      // Another cap stands in the way now.
      assert.equal((await unmoved(list)).body.cap, 'core.money.maxEscrow');
    });

    it('pays in USDC once, tells the launchpad, and says so in the history', async () => {
      await at.alice.restart();
      at.service.listingUsdc = 299;
      for (const failure of ['theft', 'other-program'] as const) {
        at.service.failNext('/solana/dexscreener/create-order', failure);
        assert.equal((await unmoved(list)).body.code, 'transaction_refused', failure);
      }
      const before = await holds(at.usdc);
      at.service.failNext('/solana/dexscreener/submit-payment', { status: 500 });
      const paid = await list();
      assert.equal(paid.status, 200, JSON.stringify(paid.body));
      assert.equal(paid.body.status, 'paid');
      assert.equal(before - (await holds(at.usdc)), 299_000_000n);
      const again = await list();
      const { order_uuid, payment_txid } = paid.body;
      assert.deepEqual(again.body, { order_uuid, payment_txid, status: 'submitted' });
      assert.equal(at.service.submitted.get(order_uuid), payment_txid);
      assert.deepEqual((await list()).body, again.body);
      assert.equal(before - (await holds(at.usdc)), 299_000_000n);
      const entry = await happens('an entry', async () =>
        (await at.alice.get('/portfolio/history?type=launchpad')).body.events.find(
          ({ txid }: any) => txid === payment_txid,
        ),
      );
      assert.deepEqual([entry.action, entry.direction, entry.amount_usdc], ['chart-listing', 'out', '299']);
      const asked = at.service.requests.findLast(({ path }) => path.endsWith('/create-order'))!;
      assert.equal(JSON.parse(asked.body).description, WISH.description);
    });

    it('tells the launchpad of a payment later, by itself, after a restart too', async () => {
      const other = await launched('LATE');
      at.service.failNext('/solana/dexscreener/submit-payment', { status: 503 });
      const { body } = await list({ token_mint: other });
      assert.equal(body.status, 'paid', JSON.stringify(body));
      await at.alice.restart();
      await eventually(() => at.service.submitted.get(body.order_uuid) === body.payment_txid);
    });

    it('lists no token that is listed', async () => {
      const other = await launched('GONE');
      at.service.listed.add(other);
      assert.deepEqual(await check(other), { available: false, cost_usdc: 299 });
      const { status, body } = await unmoved(() => list({ token_mint: other }));
      assert.deepEqual([status, body.code], [409, 'conflict']);
    });

    it('takes no image that is not https', async () => {
      const { status, body } = await list({ image_url: 'http://images.example.com/a.png' });
      assert.deepEqual([status, body.fields[0].pointer], [400, '/image_url']);
    });
  });
});
