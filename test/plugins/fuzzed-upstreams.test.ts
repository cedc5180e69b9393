import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { Self } from '../../core/services.ts';
import { launchpadPlugin } from '../../plugins/launchpad/index.ts';
import { tradePlugin } from '../../plugins/trade/index.ts';
import { Dice, roundsOf } from '../storage/dice.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { newWallet } from '../support/wallet.ts';
import { FuzzProxy, SPOILINGS, type Spoiling } from '../upstreams/fuzz-proxy.ts';
import { LaunchpadServiceStandIn } from '../upstreams/launchpad-service.ts';
import { TradingServiceStandIn } from '../upstreams/trading-service.ts';
import { GatewayStandIn } from '../upstreams/transfer/gateway-service.ts';
import { BillingBench, unitsOf } from './billing/support.ts';

/** Each service answers so often with each spoiling. `MESH_TEST_ROUNDS` asks for more, `MESH_TEST_SEED` for others. */
const ROUNDS = roundsOf(2);
const SEED = Number(process.env['MESH_TEST_SEED'] ?? 1);
const SOL = 'So11111111111111111111111111111111111111112';
const KEY = 'a-key-of-the-trading-service';
const FEES = 5_000_000n;

describe(`replies of services that make no sense, with the seed ${SEED}`, function () {
  this.timeout(120_000 * Math.max(1, ROUNDS / 2));

  describe('to trade and launchpad', () => {
    const dice = new Dice(SEED);
    let mesh: Mesh<'alice'>;
    let alice: Member;
    let trading: TradingServiceStandIn;
    let launchpad: LaunchpadServiceStandIn;
    let usdc = '';
    let demo = '';
    let mint = '';
    let proxies: Record<'trading' | 'launchpad' | 'prices', FuzzProxy>;
    before(async () => {
      launchpad = await LaunchpadServiceStandIn.start();
      const sponsor = {
        ...{ apiUrl: launchpad.url, apiKey: launchpad.apiKey, maxPerAgentPerDay: 1_000, maxPerDay: 1_000 },
        $grant: [`http:${launchpad.host}`],
      };
      const own: { plugins: object } = { plugins: {} };
      mesh = await startMesh({
        ...{ nodes: ['alice'], storage: 'lowdb', isolated: true, usdc: { alice: '1000' } },
        plugins: { alice: [tradePlugin, launchpadPlugin] },
        own: {
          aggregator: {
            ...{ api: { unlimited: ['127.0.0.1'] }, ledger: { maxSolPerTransaction: '1', maxSolPerDay: '50' } },
            plugins: { sponsor },
          },
          alice: {
            api: { unlimited: ['127.0.0.1'] },
            ledger: { maxSolPerTransaction: '0.3', maxSolPerDay: '50' },
            mesh: { allowPrivatePeers: true },
            get plugins() {
              return own.plugins;
            },
          },
        },
      });
      alice = mesh.nodes.alice;
      usdc = alice.node.get(Ledger).cluster.usdcMint;
      const { faucet, url } = mesh.localnet;
      trading = await TradingServiceStandIn.start(url, KEY);
      await faucet.sol(mesh.aggregatorNode.get(Self).address, 20_000_000_000n);
      launchpad.isMarket = true;
      launchpad.connect(url, usdc);
      for (const maker of [trading.maker, launchpad.maker]) {
        await faucet.sol(maker, 50_000_000_000n);
        await faucet.usdc(maker, 10_000_000_000n);
      }
      await faucet.sol(alice.id, 20_000_000_000n);
      trading.prices.set(usdc, { usdPrice: 1, decimals: 6 });
      trading.prices.set(SOL, { usdPrice: 150, decimals: 9 });
      demo = await trading.token(0.5);
      proxies = {
        trading: await FuzzProxy.before(trading.url, dice),
        launchpad: await FuzzProxy.before(launchpad.url, dice),
        prices: await FuzzProxy.before(launchpad.pricesUrl, dice),
      };
      const grant = (...all: FuzzProxy[]) => ({ $grant: all.map((one) => `http:${new URL(one.url).host}`) });
      own.plugins = {
        trade: {
          ...{ apiUrl: proxies.trading.url, apiKey: KEY, known: [demo, usdc], maxUsdPerDay: 100_000 },
          ...grant(proxies.trading),
        },
        launchpad: {
          ...{ apiUrl: proxies.launchpad.url, apiKey: launchpad.apiKey, pricesUrl: proxies.prices.url },
          ...grant(proxies.launchpad, proxies.prices),
        },
      };
      await alice.restart();
      const launched = await alice.post('/launchpad/launch', { ...wish(), initial_buy_lamports: 1_000_000 });
      assert.equal(launched.status, 200, JSON.stringify(launched.body));
      mint = launched.body.token_mint;
    });
    after(async () => {
      for (const proxy of Object.values(proxies ?? {})) await proxy.stop();
      await mesh?.stop();
      await trading?.stop();
      launchpad?.stop();
    });

    let launches = 0;
    function wish() {
      launches += 1;
      return { name: `Token ${launches}`, symbol: `T${launches}`, description: 'A token.' };
    }

    const AMOUNT = 10_000n;
    type Ask = readonly [name: string, spends: { usdc?: bigint; lamports?: bigint }, call: () => Promise<Answer>];
    const asks = (): Record<keyof typeof proxies, readonly Ask[]> => {
      const pair = { input_mint: usdc, output_mint: demo };
      const buy = { token_mint: mint, amount: Number(AMOUNT), action: 'buy' };
      return {
        trading: [
          ['trade.quote', {}, () => alice.get(`/trade/quote?input_mint=${usdc}&output_mint=${demo}&amount=${AMOUNT}`)],
          ['trade.price', {}, () => alice.get(`/trade/price?ids=${demo},${usdc}`)],
          ['trade.tokens', {}, () => alice.get('/trade/tokens?q=TEST')],
          ['trade.limitOrders', {}, () => alice.get('/trade/limit/orders')],
          ['trade.swap', { usdc: AMOUNT }, () => alice.post('/trade/swap', { ...pair, amount: Number(AMOUNT) })],
          [
            'trade.limitCreate',
            { usdc: AMOUNT },
            () => alice.post('/trade/limit/create', { ...pair, making_amount: Number(AMOUNT), taking_amount: 30_000 }),
          ],
        ],
        launchpad: [
          ['launchpad.quote', {}, () => alice.post('/launchpad/swap/quote', buy)],
          ['launchpad.claimable', {}, () => alice.get('/launchpad/claimable')],
          ['launchpad.pool', {}, () => alice.get(`/launchpad/pool/${mint}`)],
          ['launchpad.positions', {}, () => alice.get('/launchpad/positions')],
          ['launchpad.checkListing', {}, () => alice.get(`/launchpad/chart-listing/check/${mint}`)],
          ['launchpad.execute', { lamports: AMOUNT }, () => alice.post('/launchpad/swap/execute', buy)],
          ['launchpad.claim', {}, () => alice.post('/launchpad/claim', { token_mint: mint })],
          ['launchpad.launch', { lamports: 20_000_000n }, () => alice.post('/launchpad/launch', wish())],
        ],
        prices: [
          ['launchpad.pool', {}, () => alice.get(`/launchpad/pool/${mint}`)],
          ['launchpad.positions', {}, () => alice.get('/launchpad/positions')],
        ],
      };
    };

    async function held() {
      const ledger = alice.node.get(Ledger);
      const [tokens, { lamports }] = await Promise.all([ledger.usdc(alice.id), ledger.balances(alice.id)]);
      return { usdc: tokens, lamports };
    }

    for (const service of ['trading', 'launchpad', 'prices'] as const)
      it(`of ${service} end in a declared error or a right answer, and nothing is paid for one that cannot be right`, async () => {
        const proxy = proxies[service];
        const seen = new Map<string, number>();
        for (let round = 0; round < ROUNDS; round++)
          for (const spoiling of SPOILINGS) {
            const [name, spends, call] = dice.of(asks()[service]);
            const before = await held();
            proxy.spoiling = spoiling;
            const spoiled = proxy.spoiled;
            const { status, body } = await call();
            proxy.spoiling = 'well';
            const story = `seed ${SEED}, ${service}, ${name}, ${spoiling}: ${status} ${JSON.stringify(body).slice(0, 300)}`;
            seen.set(`${status}`, (seen.get(`${status}`) ?? 0) + 1);
            if (status >= 400) assert.ok(declared(name).includes(body.code), story);
            const isAsked = proxy.spoiled > spoiled;
            if (status < 400 && isAsked && isHopeless(spoiling)) assert.ok(isShown(name), story);
            const after = await held();
            const hopeless = isHopeless(spoiling) || status >= 400;
            const most = hopeless && isAsked ? {} : spends;
            assert.ok(before.usdc - after.usdc <= (most.usdc ?? 0n), `${story}: USDC left`);
            const fees = (most.usdc ?? 0n) + (most.lamports ?? 0n) > 0n || !isAsked ? FEES : 0n;
            assert.ok(before.lamports - after.lamports <= (most.lamports ?? 0n) + fees, `${story}: SOL left`);
          }
        // Prices are shown where they are known, and are no reason to refuse.
        if (service !== 'prices') assert.ok(seen.size > 1, JSON.stringify([...seen]));
        const { plugins } = (await alice.get('/health')).body;
        for (const plugin of ['trade', 'launchpad']) assert.equal(plugins[plugin].state, 'ok');
      });

    it('leave a node that trades and launches as before', async () => {
      const swap = await alice.post('/trade/swap', { input_mint: usdc, output_mint: demo, amount: Number(AMOUNT) });
      assert.equal(swap.status, 200, JSON.stringify(swap.body));
      const launch = await alice.post('/launchpad/launch', wish());
      assert.equal(launch.status, 200, JSON.stringify(launch.body));
    });
  });

  describe('to billing', () => {
    const dice = new Dice(SEED + 1_000);
    let bench: BillingBench;
    let gatewayService: GatewayStandIn;
    let gateway: FuzzProxy;
    let attestation: FuzzProxy;
    before(async () => {
      gatewayService = await GatewayStandIn.start();
      gateway = await FuzzProxy.before(gatewayService.url, dice);
      const config: Record<string, unknown> = { gatewayUrl: gateway.url };
      // The stand-in of the attestations has its address once the bench has begun.
      const port = { proxy: undefined as FuzzProxy | undefined };
      bench = await BillingBench.start('lowdb', config, {}, async (url) => {
        port.proxy = await FuzzProxy.before(url, dice);
        return port.proxy.url;
      });
      attestation = port.proxy!;
    });
    after(async () => {
      assert.deepEqual(bench.aggregator.errors, []);
      await bench.stop();
      await gateway.stop();
      await attestation.stop();
      await gatewayService.stop();
    });

    it('of the attestation service delay a withdrawal at most, and pay it once', async () => {
      const agent = await bench.funded(100n * 1_000_000n);
      const wallet = newWallet().address;
      await bench.localnet.faucet.usdc(wallet, 1n);
      for (let round = 0; round < ROUNDS; round++) {
        const before = await bench.balance(agent);
        const { status, body } = await bench.withdraw(agent, { amount_usdc: '2' });
        assert.equal(status, 202, JSON.stringify(body));
        for (const spoiling of SPOILINGS) {
          attestation.spoiling = spoiling;
          const spoiled = attestation.spoiled;
          const estimate = await bench.aggregator.call(
            'GET /billing/estimate-settlement?amount=5&destination_chain=base',
            { as: agent },
          );
          const story = `seed ${SEED}, ${spoiling}: ${JSON.stringify(estimate.body)}`;
          if (estimate.status !== 200) assert.equal(estimate.body.code, 'upstream_failed', story);
          bench.aggregator.clock.shift(61_000);
          for (let step = 0; step < 20 && attestation.spoiled === spoiled && spoiling !== 'well'; step++)
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        attestation.spoiling = 'well';
        const done = await bench.reaches(agent, body.withdrawal_id, 'done');
        assert.equal(before - (await bench.balance(agent)), 2_000_000n);
        assert.equal(bench.service.mints.size, round + 1);
        assert.ok(unitsOf(done.received_usdc) <= 1_980_000n, JSON.stringify(done));
      }
      assert.equal((await bench.account(agent)).reserved_usdc, '0');
    });

    it('of the gateway credit nothing that it does not hold', async () => {
      const agent = await bench.agent();
      const asked = await bench.aggregator.call('POST /billing/deposit', {
        ...{ as: agent, body: { chain: 'base', amount_usdc: '1' } },
      });
      assert.equal(asked.status, 200, JSON.stringify(asked.body));
      for (let round = 0; round < ROUNDS; round++)
        for (const spoiling of SPOILINGS) {
          if (spoiling === 'member') continue;
          gateway.spoiling = spoiling;
          const spoiled = gateway.spoiled;
          bench.aggregator.clock.shift(61_000);
          for (let step = 0; step < 60 && gateway.spoiled === spoiled && spoiling !== 'well'; step++)
            await new Promise((resolve) => setTimeout(resolve, 20));
          assert.equal(await bench.balance(agent), 0n, spoiling);
        }
      gateway.spoiling = 'well';
    });
  });
});

function isHopeless(spoiling: Spoiling): boolean {
  return !['member', 'missing', 'slow', 'well'].includes(spoiling);
}

/** Reads that show what they have without the service. */
function isShown(name: string): boolean {
  return ['launchpad.pool', 'launchpad.positions', 'launchpad.claimable', 'trade.limitOrders'].includes(name);
}

function declared(name: string): readonly string[] {
  const [plugin, route] = name.split('.') as [string, string];
  const { node } = plugin === 'trade' ? tradePlugin : launchpadPlugin;
  return (node!.routes as any)[route].spec.errors ?? [];
}
