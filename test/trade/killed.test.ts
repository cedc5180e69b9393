import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { tradePlugin } from '../../plugins/trade/index.ts';
import { type Doom, Lives } from '../money/lives.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { TradingServiceStandIn } from '../upstreams/trading-service.ts';

const KEY = 'a-key-of-the-trading-service';
const DOOMS: readonly Doom[] = [
  ...[2, 4, 5, 6].map((at) => ({ seam: 'commit' as const, at, after: true })),
  { seam: 'ledger', at: 1, after: true },
];

const CONFIRMED: readonly Doom[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((at) => ({ seam: 'commit' as const, at, after: at % 4 < 2 })),
  ...[false, true].map((after) => ({ seam: 'ledger' as const, at: 1, after })),
];

describe('a node that is killed while it trades', function () {
  this.timeout(120_000);
  const clock = new BriskClock();
  const lives = new Lives(clock, () => {});
  let mesh: Mesh<'alice'>;
  let alice: Member;
  let service: TradingServiceStandIn;
  let usdc = '';
  let known = '';
  before(async () => {
    const port = { url: '' };
    mesh = await startMesh({
      nodes: ['alice'],
      clock,
      isolated: true,
      usdc: { alice: '1000' },
      plugins: { alice: [tradePlugin] },
      own: {
        alice: {
          mesh: { allowPrivatePeers: true },
          ledger: { maxSolPerTransaction: '0.3', maxSolPerDay: '5' },
          get plugins() {
            const apiUrl = port.url || 'http://127.0.0.1:9';
            return { trade: { apiUrl, apiKey: KEY, maxUsdPerDay: 1_000, known: known ? [known, usdc] : [] } };
          },
        },
      },
      adapters: (name) => lives.begin(name),
    });
    alice = mesh.nodes.alice;
    usdc = alice.node.get(Ledger).cluster.usdcMint;
    service = await TradingServiceStandIn.start(mesh.localnet.url, KEY);
    await mesh.localnet.faucet.sol(service.maker, 5_000_000_000n);
    await mesh.localnet.faucet.usdc(service.maker, 1_000_000_000n);
    service.prices.set(usdc, { usdPrice: 1, decimals: 6 });
    known = await service.token(0.5);
    port.url = service.url;
    await again();
  });
  after(async () => {
    await mesh?.stop();
    await service?.stop();
  });

  const held = () => alice.node.get(Ledger).usdc(alice.id);

  async function again(): Promise<void> {
    lives.of('alice').die();
    await alice.stop().catch(() => undefined);
    // The claim of the killed process on its call has run out.
    mesh.advance(20);
    await alice.start();
  }

  /** Calls, is killed at some step, starts again, and calls again until it is answered. */
  async function survived(doom: Doom, call: () => Promise<Answer>): Promise<Answer> {
    lives.of('alice').arm(doom);
    await call().catch(() => undefined);
    await again();
    return happens('the call is answered', async () => {
      const answer = await call();
      return answer.status >= 500 || answer.body.code === 'request_in_progress' ? undefined : answer;
    });
  }

  it('never calls an order too late that it has opened', async () => {
    let opened = 0;
    for (const [index, doom] of DOOMS.entries()) {
      const before = await held();
      const expired_at = Math.floor(clock.now() / 1_000) + 15;
      const order = {
        input_mint: usdc,
        output_mint: known,
        making_amount: 1_000_000,
        taking_amount: '9000000',
        expired_at,
      };
      const key = { 'idempotency-key': `order-${index}` };
      const { status, body } = await survived(doom, () => alice.post('/trade/limit/create', order, key));
      const paid = before - (await held());
      assert.equal(paid, status === 200 ? 1_000_000n : 0n, `${JSON.stringify(doom)}: ${JSON.stringify(body)}`);
      opened += Number(status === 200);
    }
    assert.ok(opened > 0);
  });

  it('does a swap that was confirmed, once, at whatever step it is killed', async () => {
    const unknown = await service.token(2);
    for (const [index, doom] of CONFIRMED.entries()) {
      const asked = await alice.post('/trade/swap', { input_mint: usdc, output_mint: unknown, amount: 1_000_000 });
      assert.equal(asked.status, 202, JSON.stringify(asked.body));
      const path = `/trade/swap/confirm/${asked.body.swap_id}`;
      const headers = { 'idempotency-key': `confirm-${index}` };
      const before = await held();
      const { status, body } = await survived(doom, () => alice.post(path, {}, index % 2 === 0 ? headers : {}));
      const paid = before - (await held());
      const what = `${JSON.stringify(doom)}: ${status} ${JSON.stringify(body)}`;
      assert.equal(paid, 1_000_000n, what);
      // Without a key the second call may be told that the first one did it.
      assert.ok(status === 200 || (index % 2 === 1 && body.code === 'swap_over'), what);
      assert.deepEqual((await alice.get('/trade/swap/pending')).body.pending, []);
      assert.equal((await alice.post(path.replace('confirm', 'reject'))).body.code, 'swap_over');
    }
  });

  it('keeps a swap whose confirmation failed, so that it can be confirmed again or rejected', async () => {
    mesh.advance(120);
    const unknown = await service.token(2);
    const wish = { input_mint: usdc, output_mint: unknown, amount: 1_000_000 };
    const ids: string[] = [];
    for (let n = 0; n < 2; n++) ids.push((await alice.post('/trade/swap', wish)).body.swap_id);
    for (const id of ids) {
      service.failNext('/swap/v2/order', { status: 503 });
      assert.equal((await alice.post(`/trade/swap/confirm/${id}`)).body.code, 'upstream_failed');
    }
    assert.equal((await alice.get('/trade/swap/pending')).body.pending.length, 2);
    assert.equal((await alice.post(`/trade/swap/confirm/${ids[0]}`)).status, 200);
    assert.equal((await alice.post(`/trade/swap/reject/${ids[1]}`)).status, 200);
    assert.deepEqual((await alice.get('/trade/swap/pending')).body.pending, []);
  });

  it('swaps anew under a key that is older than a day, and never answers with the swap of then', async () => {
    const headers = { 'idempotency-key': 'every-day' };
    const swap = async (amount: number) => {
      const { status, body } = await alice.post(
        '/trade/swap',
        { input_mint: usdc, output_mint: known, amount },
        headers,
      );
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    const first = await swap(1_000_000);
    mesh.advance(24 * 3_600 + 60);
    const before = await held();
    const second = await swap(2_000_000);
    assert.deepEqual([second.in_amount, before - (await held())], ['2000000', 2_000_000n]);
    assert.notEqual(second.txid, first.txid);
  });
});
