import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import type { RpcFaults } from '../../schemas/types.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

type View = RpcFaults['views'][number];
const Served = typed<{ nth: number }>({
  type: 'object',
  properties: { nth: { type: 'integer' } },
  examples: [{ nth: 1 }],
});
const rule = (one: NonNullable<View['rules']>[number]): View => ({ rules: [one] });
const SENDING = 'sendTransaction';
const STATUS = 'getSignatureStatuses';
const SHAPES = ['null', 'type', 'no-context', 'wrong-id', 'duplicate', 'number-as-text', 'previous', 'html'] as const;

/** The two RPCs of the seller, by what they do. */
const PLAYED: Readonly<Record<string, readonly [View, View]>> = {
  'the transaction is lost on its way': [rule({ method: SENDING, fault: 'reset', lost: 'request', times: 2 }), {}],
  'the answer to the transaction is lost': [rule({ method: SENDING, fault: 'reset', lost: 'answer', times: 2 }), {}],
  'the transaction is sent and said to be refused': [rule({ method: SENDING, fault: 'preflight' }), {}],
  'the transaction is confirmed and then taken back': [rule({ method: SENDING, fault: 'rolled-back', times: 1 }), {}],
  'one RPC is behind': [{}, { lag: 6 }],
  'both are behind': [{ lag: 3 }, { lag: 6 }],
  'one does not see yet what has landed': [{}, { late: 8 }],
  'outcomes cannot be asked for': [rule({ method: STATUS, fault: 'status', times: 4 }), {}],
  'the rehearsal cannot be asked for': [rule({ method: 'simulateTransaction', fault: 'reset', times: 2 }), {}],
  ...Object.fromEntries(
    SHAPES.map((fault) => [
      `an RPC answers another shape (${fault})`,
      [rule({ method: [STATUS, 'simulateTransaction', 'getMultipleAccounts'], fault, times: 3 }), {}] as const,
    ]),
  ),
};

describe('selling by x402 where RPCs lag, lie and lose', function () {
  this.timeout(120_000);
  let mesh: Mesh<'seller' | 'buyer'>;
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
    mesh = await startMesh({
      nodes: ['seller', 'buyer'],
      usdc: { seller: '1', buyer: '20' },
      clock: new BriskClock(),
      plugins: { seller: [shop] },
      faults: { views: [{}, {}, {}] },
      rpcUrl: (url, name, views) => (name === 'seller' ? views.slice(1) : url),
    });
  });
  after(() => mesh?.stop());
  const play = (first: View, second: View) => mesh.localnet.play({ views: [{}, first, second] });
  afterEach(() => play({}, {}));

  let orders = 0;
  for (const [name, [first, second]] of Object.entries(PLAYED))
    it(`a payment is charged once and answered once: ${name}`, async () => {
      const { seller, buyer } = mesh.nodes;
      const usdc = () => buyer.node.get(Ledger).usdc(seller.id);
      const [held, before] = [await usdc(), handled];
      const asked = await fetch(`${seller.url}/tide`);
      const { body } = await buyer.post(
        '/wallet/x402/pay',
        { payment_required_b64: asked.headers.get('payment-required') },
        { 'idempotency-key': `order-${orders++}` },
      );
      const call = () => fetch(`${seller.url}/tide`, { headers: { 'PAYMENT-SIGNATURE': body.payment_signature } });
      play(first, second);
      const seen: number[] = [];
      await happens('it is answered', async () => {
        const answer = await call();
        const { status } = answer;
        seen.push(status);
        // RPCs that are behind do not know the blockhash yet: nothing was signed, and the same payment does later.
        const early = status === 402 && /blockhash/i.test(await answer.clone().text());
        assert.ok(status === 200 || status === 503 || early, `${seen}: ${await answer.text()}`);
        return status === 200 || undefined;
      });
      play({}, {});
      assert.equal((await call()).status, 409);
      assert.equal(handled - before, 1);
      await happens('the ledger has it', async () => ((await usdc()) - held === 10_000n ? true : undefined));
      const [sale] = (await seller.get('/wallet/sales')).body.sales;
      assert.deepEqual([sale.state, sale.payer], ['served', buyer.id]);
    });
});
