import assert from 'node:assert/strict';
import { type Connection, Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import { memo } from '../../adapters/ledger-solana/instructions.ts';
import { MeshError } from '../../core/contracts/errors.ts';
import { Ledger } from '../../core/internal-services.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { connect, disconnect } from '../localnet/cluster.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { type Forged, offerOf, paymentFor } from '../support/x402-payment.ts';

const Question = typed<{ city: string }>({
  type: 'object',
  required: ['city'],
  properties: { city: { type: 'string', minLength: 1, maxLength: 40 } },
  examples: [{ city: 'Bern' }],
});
const Weather = typed<{ city: string; payer: string }>({
  type: 'object',
  properties: { city: { type: 'string' }, payer: { type: 'string' } },
  examples: [{ city: 'Bern', payer: 'BpxV484WjLKCV1k9TPTwNnrTkxjhYuRkt3eVbjY3HPqU' }],
});

describe('selling by x402', function () {
  this.timeout(60_000);
  let mesh: Mesh<'seller' | 'buyer'>;
  let seller: Member;
  let buyer: Member;
  let connection: Connection;
  const stranger = Keypair.generate();
  let handled = 0;
  let answer: () => Promise<void> | void = () => undefined;
  const shop = definePlugin({
    name: 'shop',
    api: '2.2',
    node: {
      routes: {
        weather: route('POST /weather', {
          auth: 'x402',
          price: '0.01',
          summary: 'The weather of a city.',
          body: Question,
          reply: Weather,
          errors: ['upstream_failed'],
        }),
        tide: route('GET /tide', { auth: 'x402', price: '0.01', reply: Weather }),
      },
      setup: () => ({
        routes: {
          async weather({ body, principal }) {
            handled += 1;
            await answer();
            return { city: body.city, payer: principal.id };
          },
          tide: ({ principal }) => ({ city: 'Bern', payer: principal.id }),
        },
      }),
    },
  });
  before(async () => {
    mesh = await startMesh({
      nodes: ['seller', 'buyer'],
      storage: 'lowdb',
      usdc: { seller: '1', buyer: '20' },
      plugins: { seller: [shop] },
    });
    ({ seller, buyer } = mesh.nodes);
    connection = connect(mesh.localnet.url);
    await mesh.localnet.faucet.usdc(stranger.publicKey.toBase58(), 1_000_000n);
  });
  after(async () => {
    disconnect(connection);
    await mesh.stop();
  });
  beforeEach(() => {
    handled = 0;
    answer = () => undefined;
  });

  const call = (headers: Record<string, string> = {}, body: unknown = { city: 'Bern' }, path = '/weather') =>
    fetch(seller.url + path, {
      method: path === '/tide' ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(path !== '/tide' && { body: JSON.stringify(body) }),
    });
  const read = (header: string | null) => JSON.parse(Buffer.from(header!, 'base64').toString('utf8'));
  const usdc = (who: string) => seller.node.get(Ledger).usdc(who);
  const unserved = async () => (await seller.get('/wallet/sales?unserved=true')).body.sales;
  let orders = 0;
  /** A payment that the buyer's node signs for the seller's offer. */
  async function payment(version: 1 | 2): Promise<Record<string, string>> {
    const asked = await call();
    const offer = version === 2 ? read(asked.headers.get('payment-required')) : await asked.json();
    const key = { 'idempotency-key': `order-${orders++}` };
    const { status, body } = await buyer.post('/wallet/x402/pay', { payment_required: offer }, key);
    assert.equal(status, 200, JSON.stringify(body));
    return { [body.header_name]: body.payment_signature };
  }

  for (const version of [1, 2] as const) {
    it(`the buyer's node pays an offer of version ${version}: one answer with a receipt, and a replay is refused`, async () => {
      const [before, cost] = [await usdc(seller.id), await usdc(buyer.id)];
      const paid = await payment(version);
      const response = await call(paid);
      const body: any = await response.json();
      assert.deepEqual([response.status, body], [200, { city: 'Bern', payer: buyer.id }]);
      const receipt = read(response.headers.get(version === 2 ? 'payment-response' : 'x-payment-response'));
      assert.deepEqual([receipt.success, receipt.payer], [true, buyer.id]);
      const { value } = await connection.getSignatureStatus(receipt.transaction);
      assert.equal(value?.err, null);
      assert.deepEqual([(await usdc(seller.id)) - before, cost - (await usdc(buyer.id))], [10_000n, 10_000n]);
      const again = await call(paid);
      assert.deepEqual([again.status, ((await again.json()) as any).code, handled], [409, 'payment_used', 1]);
      const [sale] = (await seller.get('/wallet/sales')).body.sales;
      assert.deepEqual([sale.state, sale.transaction, sale.payer], ['served', receipt.transaction, buyer.id]);
      const entry = await happens('the history of the seller tells it', async () => {
        mesh.advance(20);
        const { events } = (await seller.get('/portfolio/history?type=fee')).body;
        return events.find(({ signature }: any) => signature === receipt.transaction);
      });
      const { type, action, direction, amount_usdc, counterparty, route: line, sale_id } = entry;
      assert.deepEqual(
        [type, action, direction, amount_usdc, counterparty, line, sale_id],
        ['fee', 'x402-sale', 'in', '0.01', buyer.id, 'POST /weather', sale.id],
      );
    });
  }

  it('the buyer’s node buys at the URL itself', async () => {
    const { body } = await buyer.post('/wallet/x402/pay', { url: `${seller.url}/tide` });
    assert.deepEqual([body.status, body.response?.status], ['paid', 200], JSON.stringify(body));
    assert.deepEqual(JSON.parse(body.response.body), { city: 'Bern', payer: buyer.id });
  });

  it('no payment is answered 402 with both offers; the operator pays as well', async () => {
    for (const headers of [{}, { authorization: `Bearer ${seller.secret}` }]) {
      const response = await call(headers);
      const body: any = await response.json();
      assert.deepEqual([response.status, body.code, body.x402Version], [402, 'payment_required', 1]);
      const { accepts } = read(response.headers.get('payment-required'));
      assert.deepEqual([accepts[0].amount, body.accepts[0].maxAmountRequired], ['10000', '10000']);
      assert.equal(accepts[0].payTo, seller.id);
      assert.equal(response.headers.get('cache-control'), 'no-store');
    }
  });

  it('a body that does not fit costs nothing, and the same payment buys the next try', async () => {
    const before = await usdc(seller.id);
    const paid = await payment(2);
    const bad = await call(paid, { city: '' });
    assert.deepEqual([bad.status, await usdc(seller.id)], [400, before]);
    assert.equal((await call(paid)).status, 200);
  });

  it('a handler that fails leaves the payment to be used again, once, and the operator sees it meanwhile', async () => {
    const before = await usdc(seller.id);
    const paid = await payment(2);
    answer = () => {
      throw new MeshError('upstream_failed');
    };
    const failed = await call(paid);
    assert.deepEqual([failed.status, read(failed.headers.get('payment-response')).success], [502, true]);
    assert.deepEqual(
      (await unserved()).map(({ state, tries }: any) => [state, tries]),
      [['paid', 1]],
    );
    assert.equal(((await (await call(paid, undefined, '/tide')).json()) as any).code, 'payment_used');
    answer = () => undefined;
    const responses = await Promise.all([call(paid), call(paid), call(paid)]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409]);
    assert.equal((await usdc(seller.id)) - before, 10_000n);
    await happens('the sale is served', async () => ((await unserved()).length === 0 ? true : undefined));
  });

  it('a payment that was taken and not answered is answered once after a restart', async () => {
    const before = await usdc(seller.id);
    const paid = await payment(2);
    answer = () => {
      throw new MeshError('upstream_failed');
    };
    assert.equal((await call(paid)).status, 502);
    await seller.restart();
    answer = () => undefined;
    assert.equal((await call(paid)).status, 200);
    assert.equal((await call(paid)).status, 409);
    assert.equal((await usdc(seller.id)) - before, 10_000n);
  });

  /** A payment of a client that means no good. */
  const forged = async (forgery: Forged) =>
    paymentFor(offerOf(await call()), connection, { payer: stranger, ...forgery });

  for (const memo of [undefined, null])
    it(`a stranger that pays honestly is served, ${memo === null ? 'without' : 'with'} a memo`, async () => {
      const response = await call(await forged(memo === null ? { memo } : {}));
      assert.equal(response.status, 200, await response.clone().text());
    });

  it('strangers that pay at the same moment are all served, though each payment moves the balances of the others', async () => {
    const before = await usdc(seller.id);
    const payments = await Promise.all(Array.from({ length: 32 }, () => forged({})));
    const statuses = await Promise.all(payments.map(async (payment) => (await call(payment)).status));
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal((await usdc(seller.id)) - before, 320_000n);
  });

  const from = stranger.publicKey;
  const theft = () =>
    SystemProgram.transfer({
      fromPubkey: new PublicKey(seller.id),
      toPubkey: Keypair.generate().publicKey,
      lamports: 1_000,
    });
  const bad: Record<string, [() => Forged, string]> = {
    'too little': [() => ({ amount: 9_999n }), '/payload/transaction/amount'],
    'too much': [() => ({ amount: 10_001n }), '/payload/transaction/amount'],
    'another mint': [() => ({ mint: Keypair.generate().publicKey }), '/payload/transaction/mint'],
    'another payee': [() => ({ to: from }), '/payload/transaction/destination'],
    'another payer of the fee': [() => ({ feePayer: from }), '/payload/transaction/feePayer'],
    'an instruction that takes SOL of the node': [() => ({ more: [theft()] }), '/payload/transaction/instructions/4'],
    'a third memo': [() => ({ more: [memo('more'), memo('most')] }), '/payload/transaction/instructions/5'],
    'a second memo that is that of a deal': [
      () => ({ more: [memo(`agent-mesh:${'0'.repeat(32)}`)] }),
      '/payload/transaction/memo',
    ],
    'no signature': [() => ({ unsigned: true }), '/payload/transaction/signers'],
    'a fee that is too high': [() => ({ price: 5_000_000 }), '/payload/transaction/instructions/1'],
    'the memo of a deal': [() => ({ memo: `agent-mesh:${'0'.repeat(32)}` }), '/payload/transaction/memo'],
    'a blockhash that is unknown': [() => ({ blockhash: from.toBase58() }), '/payload/transaction'],
    'a payer without USDC': [() => ({ payer: Keypair.generate() }), '/payload/transaction'],
    'another network': [
      () => ({ header: (value) => (value.accepted = { ...value.accepted, network: 'solana:mainnet' }) }),
      '/accepted/network',
    ],
    'another price in what was accepted': [
      () => ({ header: (value) => (value.accepted = { ...value.accepted, amount: '1' }) }),
      '/accepted/amount',
    ],
  };
  for (const [name, [forgery, pointer]] of Object.entries(bad)) {
    it(`refuses ${name}, names the field, and spends nothing`, async () => {
      const [lamports, held] = [await connection.getBalance(new PublicKey(seller.id)), await usdc(seller.id)];
      const response = await call(await forged(forgery()));
      const body: any = await response.json();
      assert.deepEqual([response.status, body.code, body.fields?.[0].pointer], [402, 'payment_required', pointer]);
      assert.equal(read(response.headers.get('payment-response')).success, false);
      assert.deepEqual(
        [await connection.getBalance(new PublicKey(seller.id)), await usdc(seller.id)],
        [lamports, held],
      );
      assert.equal(handled, 0);
    });
  }

  it('refuses what is no payment at all with 400 and the field', async () => {
    for (const [headers, pointer] of [
      [{ 'payment-signature': '%%%' }, '/payment-signature'],
      [{ 'x-payment': Buffer.from('{}').toString('base64') }, '/x-payment/x402Version'],
      [{ 'x-payment': 'e30=', 'payment-signature': 'e30=' }, '/x-payment'],
      [await forged({ header: (value) => (value.payload.transaction = 'AAAA') }), '/payload/transaction'],
    ] as [Record<string, string>, string][]) {
      const response = await call(headers);
      const body: any = await response.json();
      assert.ok([400, 402].includes(response.status));
      assert.equal(body.fields[0].pointer, pointer, JSON.stringify(body));
    }
  });

  it('the document of the API shows the price and the 402', async () => {
    const { body } = await seller.get('/openapi.json');
    const operation = body.paths['/weather'].post;
    assert.deepEqual(operation['x-price'], { usdc: '0.01' });
    assert.ok(operation.responses['402'].headers['PAYMENT-REQUIRED']);
  });
});
