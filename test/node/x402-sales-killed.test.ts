import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { type Doom, Lives } from '../money/lives.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

/** Every commit and every call of the ledger that a sale makes, and some behind it. */
const DOOMS: readonly Doom[] = [1, 2, 3, 4, 5, 6].flatMap((at) =>
  (['commit', 'ledger'] as const).flatMap((seam) => [false, true].map((after) => ({ seam, at, after }))),
);
const Served = typed<{ nth: number }>({
  type: 'object',
  properties: { nth: { type: 'integer' } },
  examples: [{ nth: 1 }],
});

describe('a seller by x402 that is killed', function () {
  this.timeout(120_000);
  let mesh: Mesh<'seller' | 'buyer'>;
  let seller: Member;
  let lives: Lives;
  let handled = 0;
  const shop = definePlugin({
    name: 'shop',
    api: '2.2',
    node: {
      routes: { tide: route('GET /tide', { auth: 'x402', price: '0.01', reply: Served }) },
      setup: () => ({ routes: { tide: () => ({ nth: ++handled }) } }),
    },
  });
  before(async () => {
    const clock = new BriskClock();
    lives = new Lives(clock, () => {});
    mesh = await startMesh({
      nodes: ['seller', 'buyer'],
      usdc: { seller: '1', buyer: '20' },
      clock,
      adapters: (name) => lives.begin(name),
      plugins: { seller: [shop] },
    });
    ({ seller } = mesh.nodes);
  });
  after(() => mesh.stop());

  it('charges a payment at most once and serves it at most once, and shows each one that it owes', async () => {
    const { buyer } = mesh.nodes;
    const usdc = () => buyer.node.get(Ledger).usdc(seller.id);
    let owed = 0;
    for (const [index, doom] of DOOMS.entries()) {
      const [held, before] = [await usdc(), handled];
      const asked = await fetch(`${seller.url}/tide`);
      const key = { 'idempotency-key': `tide-${index}` };
      const { body } = await buyer.post(
        '/wallet/x402/pay',
        { payment_required_b64: asked.headers.get('payment-required') },
        key,
      );
      assert.ok(body.payment_signature, JSON.stringify(body));
      const call = () => fetch(`${seller.url}/tide`, { headers: { 'PAYMENT-SIGNATURE': body.payment_signature } });
      const life = lives.of('seller');
      life.arm(doom);
      const first = await call().then(
        ({ status }) => status,
        () => 0,
      );
      life.die();
      await seller.stop().catch(() => undefined);
      mesh.advance(20);
      await seller.start();
      const last = await happens('it is served or was', async () => {
        const { status } = await call();
        return status === 200 || status === 409 ? status : undefined;
      });
      const where = JSON.stringify({ doom, first, last });
      assert.equal((await usdc()) - held, 10_000n, where);
      assert.ok(handled - before <= 1 && (handled > before || last === 409), where);
      assert.ok(first !== 200 || last !== 200, where);
      assert.equal((await call()).status, 409, where);
      const { sales } = (await seller.get('/wallet/sales?unserved=true')).body;
      if (first !== 200 && last !== 200) owed += 1;
      const begun = sales.filter(({ state }: any) => state === 'begun').length;
      // One that got its answer may be shown, since the mark came too late; one that did not is always shown.
      assert.ok(begun >= owed, where);
    }
    const told = await happens('the history tells each sale once', async () => {
      mesh.advance(20);
      const { events } = (await seller.get('/portfolio/history?type=fee&limit=200')).body;
      return events.length >= DOOMS.length ? events : undefined;
    });
    assert.equal(new Set(told.map(({ signature }: any) => signature)).size, told.length);
    assert.equal(told.length, DOOMS.length);
  });
});
