import assert from 'node:assert/strict';
import type { Connection } from '@solana/web3.js';
import { Ledger } from '../../core/internal-services.ts';
import { connect, disconnect } from '../localnet/cluster.ts';
import { happens } from '../support/happens.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { X402Seller } from '../upstreams/x402-seller.ts';

describe('paying by x402', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'poor' | 'tight'>;
  let alice: Member;
  let rpc: RpcProxy;
  let connection: Connection;
  let seller: X402Seller;
  let network: string;
  before(async () => {
    rpc = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'poor', 'tight'],
      storage: 'lowdb',
      usdc: { alice: '60', tight: '60' },
      own: { tight: { core: { money: { maxX402PerDay: '0.03' } } } },
      rpcUrl(url) {
        rpc.target = url;
        return rpc.url;
      },
    });
    ({ alice } = mesh.nodes);
    connection = connect(mesh.localnet.url);
    const { cluster } = alice.node.get(Ledger);
    network = `solana:${cluster.genesisHash.slice(0, 32)}`;
    seller = await X402Seller.start(connection, network, cluster.usdcMint);
    await mesh.localnet.faucet.sol(seller.feePayer.publicKey.toBase58(), 1_000_000_000n);
    await mesh.localnet.faucet.usdc(seller.payTo, 1n);
  });
  after(async () => {
    await seller.stop();
    disconnect(connection);
    await mesh.stop();
    await rpc.stop();
  });
  beforeEach(() => {
    seller.behave();
    seller.problems.length = 0;
    seller.got.length = 0;
    seller.settled.length = 0;
  });
  afterEach(() => rpc.heal());

  const usdcOf = (address: string) => alice.node.get(Ledger).usdc(address);
  const pay = (body: object, headers?: Record<string, string>, who = alice) =>
    who.post('/wallet/x402/pay', body, headers);
  const inHeader = (offer: object) => Buffer.from(JSON.stringify(offer)).toString('base64');
  const codeOf = ({ status, body }: Answer) => [status, body.code];
  const used = async (who = alice) => (await who.get('/portfolio/caps')).body.x402.used_usdc;
  /** So many blocks that nothing made before can land any more. */
  const pass = () => mesh.localnet.warp({ slots: 200, blocks: 200 });
  const state = (id: string, status: string) =>
    happens(`the payment is ${status}`, async () => {
      const { body } = await alice.get(`/wallet/x402/${id}`);
      return body.status === status ? body : undefined;
    });
  const ask = (method: string, params: unknown[]) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  let cities = 0;
  /** A URL that nobody bought at before. */
  const fresh = () => seller.url.replace('Bern', `City${cities++}`);

  for (const version of [1, 2] as const) {
    it(`signs an offer of version ${version}, which a seller takes; the ledger then shows it paid`, async () => {
      seller.behave({ version, price: `${20_000 + version}` });
      const before = await usdcOf(alice.id);
      const offer = seller.offer();
      const body = version === 2 ? { payment_required_b64: inHeader(offer) } : { payment_required: offer };
      const made = await pay(body);
      assert.equal(made.status, 200, JSON.stringify(made.body));
      const { payment_id, status, payment_signature, header_name, amount_micro, amount_usdc, pay_to } = made.body;
      assert.deepEqual(
        [status, header_name, amount_micro, amount_usdc, pay_to],
        [
          'pending',
          version === 2 ? 'PAYMENT-SIGNATURE' : 'X-PAYMENT',
          20_000 + version,
          (20_000 + version) / 1e6,
          seller.payTo,
        ],
      );
      const again = await pay(body);
      assert.deepEqual([again.body.payment_signature, again.body.repeated], [payment_signature, true]);
      const response = await fetch(seller.url, { headers: { [header_name]: payment_signature } });
      assert.deepEqual([response.status, seller.problems], [200, []]);
      assert.equal(before - (await usdcOf(alice.id)), BigInt(20_000 + version));
      mesh.advance(20);
      const paid = await state(payment_id, 'paid');
      assert.equal(paid.transaction, seller.settled[0]);
      const entry = await happens('its entry', async () => {
        const { events } = (await alice.get('/portfolio/history')).body;
        return events.find((one: any) => one.payment_id === payment_id);
      });
      assert.deepEqual([entry.type, entry.action, entry.amount_usdc], ['transfer', 'x402', `0.02000${version}`]);
      assert.equal(entry.signature, seller.settled[0]);
    });

    it(`buys at a URL whose offer has version ${version}`, async () => {
      seller.behave({ version });
      const { status, body } = await pay({ url: fresh() });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(seller.problems, []);
      assert.deepEqual(
        [body.status, body.transaction, body.response.status, JSON.parse(body.response.body), body.problem],
        ['paid', seller.settled[0], 200, { weather: 'fair' }, undefined],
      );
    });
  }

  it('two purchases at a URL are two payments, two calls with one key are one', async () => {
    const url = fresh();
    const first = await pay({ url });
    const second = await pay({ url });
    assert.notEqual(first.body.payment_id, second.body.payment_id);
    const third = await pay({ url }, { 'idempotency-key': 'weather-1' });
    const fourth = await pay({ url }, { 'idempotency-key': 'weather-1' });
    assert.deepEqual(fourth.body, third.body);
    assert.equal(seller.settled.length, 3);
  });

  it('passes on what costs nothing', async () => {
    const { status, body } = await pay({ url: `${mesh.aggregatorNode.url}/version` });
    assert.deepEqual([status, body.status, body.amount_micro, body.response.status], [200, 'not_needed', 0, 200]);
  });

  it('uses the memo of the seller, and none that pays for a deal', async () => {
    seller.behave({ extra: { memo: 'order 17 of the seller, with a memo that is a little longer than usual: ☂' } });
    const { body } = await pay({ url: fresh() });
    assert.deepEqual([body.status, seller.problems], ['paid', []], JSON.stringify(body));
    seller.behave({ extra: { memo: `agent-mesh:${'0'.repeat(32)}` } });
    assert.match(
      (await pay({ payment_required: seller.offer() })).body.detail,
      /extra\/memo is that of the payment of a deal/,
    );
  });

  describe('refuses', () => {
    const refused = async (manner: Parameters<X402Seller['behave']>[0], code: string, says: RegExp) => {
      seller.behave(manner);
      const before = await used();
      const pasted = await pay({ payment_required: seller.offer() });
      assert.equal(pasted.body.code, code, JSON.stringify(pasted.body));
      assert.match(pasted.body.detail, says);
      const called = await pay({ url: fresh() });
      assert.ok(called.status >= 400, JSON.stringify(called.body));
      assert.match(called.body.detail, says);
      assert.deepEqual([await used(), seller.got], [before, []]);
      return pasted.body;
    };

    it('another network, and tells its own', async () => {
      const body = await refused(
        { offer: { network: 'eip155:8453' } },
        'invalid_request',
        /no entry of the scheme exact on solana:/,
      );
      assert.equal(body.expected_network, network);
    });
    it('another scheme', () =>
      refused({ offer: { scheme: 'upto' } }, 'invalid_request', /no entry of the scheme exact/));
    it('another asset', () =>
      refused(
        { offer: { asset: 'So11111111111111111111111111111111111111112' } },
        'invalid_request',
        /asset is not the USDC of this cluster/,
      ));
    it('more than 10 USDC', async () => {
      const body = await refused({ price: '10000001' }, 'spending_cap', /at most 10 USDC, and this asks for 10.000001/);
      assert.deepEqual([body.amount_micro, body.max_micro], ['10000001', 10_000_000]);
    });
    it('a price that is none', () => refused({ price: '1.5' }, 'invalid_request', /amount/));
    it('nothing to pay', () => refused({ price: '0' }, 'invalid_request', /is 0/));
    it('no payer of the fee', () =>
      refused({ extra: { feePayer: undefined } }, 'invalid_request', /extra\/feePayer is needed/));
    it('this wallet as payer of the fee', () =>
      refused({ extra: { feePayer: alice.id } }, 'invalid_request', /extra\/feePayer is this wallet itself/));
    it('this wallet as the seller', () =>
      refused({ offer: { payTo: alice.id } }, 'invalid_request', /payTo is this wallet itself/));
    it('a seller without a token account', () =>
      refused({ offer: { payTo: seller.feePayer.publicKey.toBase58() } }, 'invalid_request', /has no USDC account/));

    it('what is no offer, or two', async () => {
      for (const [body, says] of [
        [{}, /is needed: give one of/],
        [{ payment_required_b64: '%%%' }, /not base64 of JSON/],
        [{ payment_required_b64: inHeader({ x402Version: 3, accepts: [] }) }, /x402Version/],
        [{ payment_required: {}, url: 'http://a.example' }, /cannot be given together/],
        [{ url: 'ftp://a.example' }, /must be an http or https URL/],
        [{ url: 'http://user:pass@127.0.0.1/' }, /url/],
      ] as const) {
        const answer = await pay(body);
        assert.deepEqual(codeOf(answer), [400, 'invalid_request'], JSON.stringify(answer.body));
        assert.match(JSON.stringify(answer.body), says);
      }
    });

    it('more than the caller allows, the day allows, or the wallet holds', async () => {
      const { poor, tight } = mesh.nodes;
      const dear = await pay({ payment_required: seller.offer(), max_usdc: '0.009' });
      assert.deepEqual(codeOf(dear), [409, 'conflict']);
      const none = await pay({ payment_required: seller.offer() }, {}, poor);
      assert.deepEqual([...codeOf(none), none.body.missing], [402, 'insufficient_funds', '0.01']);
      assert.equal(await used(poor), '0');
      const bought = await Promise.all([1, 2, 3, 4].map(() => pay({ url: fresh() }, {}, tight)));
      assert.deepEqual(bought.map(({ status }) => status).sort(), [200, 200, 200, 403]);
      const capped = bought.find(({ status }) => status === 403)!;
      assert.deepEqual([capped.body.code, capped.body.cap], ['spending_cap', 'core.money.maxX402PerDay']);
      assert.equal(await used(tight), '0.03');
    });
  });

  describe('with a seller that', () => {
    it('asks again is not paid again; the payment ends unpaid, and its amount is free', async () => {
      seller.behave({ paid: 'again', price: '31000' });
      const before = await used();
      const url = fresh();
      const { body } = await pay({ url });
      assert.deepEqual([body.status, body.response.status], ['pending', 402]);
      assert.match(body.problem, /asks for a payment again, which was not made/);
      const repeated = await pay({ url });
      assert.deepEqual([repeated.body.payment_id, repeated.body.repeated], [body.payment_id, true]);
      assert.equal(new Set(seller.got).size, 1);
      assert.equal(Number(await used()) - Number(before) > 0.03, true);
      pass();
      mesh.advance(20);
      await state(body.payment_id, 'unpaid');
      assert.equal(await used(), before);
      seller.behave({ price: '31000' });
      const anew = await pay({ url });
      assert.deepEqual([anew.body.status, anew.body.repeated], ['paid', false]);
    });

    it('raises its price gets no second payment', async () => {
      seller.behave({ paid: 'dearer' });
      const { body } = await pay({ url: fresh() });
      assert.deepEqual(
        [body.status, body.amount_micro, body.response.status, seller.got.length],
        ['pending', 10_000, 402, 1],
      );
    });

    it('takes the money and fails is found out, and paid once though it is called again', async () => {
      seller.behave({ paid: 'fail' });
      const before = await usdcOf(alice.id);
      const url = fresh();
      const { body } = await pay({ url });
      assert.deepEqual([body.response.status, seller.settled.length], [502, 1]);
      mesh.advance(20);
      const paid = await state(body.payment_id, 'paid');
      assert.equal(paid.transaction, seller.settled[0]);
      const again = await pay({ url });
      assert.equal(again.body.payment_id, body.payment_id);
      assert.equal(before - (await usdcOf(alice.id)), 10_000n);
    });

    it('answers 500 without taking it is not paid', async () => {
      seller.behave({ paid: 'refuse' });
      const { body } = await pay({ url: fresh() });
      assert.deepEqual([body.status, body.response.status], ['pending', 500]);
    });

    it('lies in its receipt is not believed', async () => {
      seller.behave({ paid: 'lie' });
      const { body } = await pay({ url: fresh() });
      assert.match(body.problem, /does not show this payment in the transaction/);
      mesh.advance(20);
      assert.equal((await state(body.payment_id, 'paid')).transaction, seller.settled[0]);
    });

    it('is slow is waited for', async () => {
      seller.behave({ delay: 400 });
      assert.equal((await pay({ url: fresh() })).body.status, 'paid');
    });

    it('is away costs nothing', async () => {
      const before = await used();
      const answer = await pay({ url: 'http://127.0.0.1:9/' });
      assert.deepEqual(codeOf(answer), [502, 'upstream_failed']);
      assert.equal(await used(), before);
    });

    it('settles late, after the caller has given up, is found out', async () => {
      const made = await pay({ payment_required: seller.offer(), max_usdc: '1' }, { 'idempotency-key': 'late' });
      const { payment_id, payment_signature } = made.body;
      await alice.restart();
      const signature = await seller.settle(payment_signature);
      mesh.advance(20);
      assert.equal((await state(payment_id, 'paid')).transaction, signature);
    });
  });

  it('stays unknown while the RPC answers nonsense or lags, and is settled afterwards', async () => {
    seller.behave({ price: '41000' });
    const { body } = await pay({ payment_required: seller.offer() });
    rpc.answer('getSignaturesForAddress', () => 'nonsense');
    pass();
    mesh.advance(20);
    assert.equal((await alice.get(`/wallet/x402/${body.payment_id}`)).body.status, 'pending');
    rpc.heal();
    mesh.advance(60);
    await state(body.payment_id, 'unpaid');
  });

  it('is never called unpaid while an RPC lists its transaction and shows another or none', async () => {
    for (const [index, shown] of [() => null, undefined].entries()) {
      seller.behave({ price: `${42_000 + index}` });
      const other = await seller.settle((await pay({ payment_required: seller.offer() })).body.payment_signature);
      seller.behave({ price: `${43_000 + index}` });
      const { body } = await pay({ payment_required: seller.offer() });
      const signature = await seller.settle(body.payment_signature);
      if (shown) rpc.answer('getTransaction', shown);
      else
        rpc.changed.set('getTransaction', async (call) => {
          if (call.params[0] !== signature) return call.pass();
          const result = await (await fetch(mesh.localnet.url, ask('getTransaction', [other, call.params[1]]))).json();
          return { ...(result as object), id: call.id };
        });
      pass();
      mesh.advance(20);
      await state(body.payment_id, 'unknown');
      rpc.heal();
      mesh.advance(60);
      await state(body.payment_id, 'paid');
    }
  });

  it('a sweep leaves what a signed payment may yet take', async () => {
    seller.behave({ price: '51000' });
    await pay({ payment_required: seller.offer() });
    const held = await usdcOf(alice.id);
    const sweep = await alice.post('/wallet/sweep', { destination: seller.payTo, amount_usdc_micro: Number(held) });
    assert.deepEqual(codeOf(sweep), [402, 'insufficient_funds']);
    assert.ok(Number(sweep.body.reserved) >= 0.051);
  });
});
