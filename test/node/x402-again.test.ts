import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connection } from '@solana/web3.js';
import { Ledger } from '../../core/internal-services.ts';
import { connect, disconnect } from '../localnet/cluster.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { X402Seller } from '../upstreams/x402-seller.ts';

describe('a keyed purchase by x402 whose seller did not serve', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice'>;
  let alice: Member;
  let connection: Connection;
  let seller: X402Seller;
  /** Leads to the seller, from another origin, unless it is closed. */
  let door: Server;
  let closed = false;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice'], storage: 'lowdb', usdc: { alice: '60' } });
    ({ alice } = mesh.nodes);
    connection = connect(mesh.localnet.url);
    const { cluster } = alice.node.get(Ledger);
    seller = await X402Seller.start(connection, `solana:${cluster.genesisHash.slice(0, 32)}`, cluster.usdcMint);
    await mesh.localnet.faucet.sol(seller.feePayer.publicKey.toBase58(), 1_000_000_000n);
    await mesh.localnet.faucet.usdc(seller.payTo, 1n);
    door = createServer((_, response) => {
      if (closed) response.writeHead(503).end('closed');
      else response.writeHead(302, { location: seller.url }).end();
    });
    await new Promise<void>((listening) => door.listen(0, '127.0.0.1', listening));
  });
  after(async () => {
    door.closeAllConnections();
    await new Promise((stopped) => door.close(stopped));
    await seller.stop();
    disconnect(connection);
    await mesh.stop();
  });
  beforeEach(() => {
    closed = false;
    seller.behave();
    seller.got.length = 0;
  });

  const spent = async (act: () => Promise<void>) => {
    const before = await alice.node.get(Ledger).usdc(alice.id);
    await act();
    return before - (await alice.node.get(Ledger).usdc(alice.id));
  };
  const buyer = (key: string, url = seller.url) => {
    const body = { url, max_usdc: '0.05' };
    return () => alice.post('/wallet/x402/pay', body, { 'idempotency-key': key.replaceAll(/[ ,]+/g, '-') });
  };
  const doorUrl = () => `http://127.0.0.1:${(door.address() as AddressInfo).port}/`;

  it('shows the same payment again until the seller serves, and then repeats the answer', async () => {
    const buy = buyer('served later');
    const cost = await spent(async () => {
      seller.behave({ paid: 'busy' });
      const first = await buy();
      assert.deepEqual([first.status, first.body.response.status, first.body.status], [200, 503, 'paid']);
      assert.match(
        first.body.problem,
        /answered 503\. It has the 0\.01 USDC, by the transaction \w+\. Repeat the call/,
      );
      const second = await buy();
      assert.deepEqual([second.body.response.status, second.body.repeated], [503, true]);
      assert.equal(second.headers.get('idempotency-replayed'), null);
      seller.behave();
      const third = await buy();
      assert.deepEqual([third.body.response.status, third.body.problem], [200, undefined], JSON.stringify(third.body));
      assert.deepEqual(JSON.parse(third.body.response.body), { weather: 'fair' });
      const calls = seller.calls;
      const fourth = await buy();
      assert.deepEqual(fourth.body, third.body);
      assert.deepEqual([fourth.headers.get('idempotency-replayed'), seller.calls], ['true', calls]);
      for (const { body } of [second, third]) assert.equal(body.payment_id, first.body.payment_id);
    });
    assert.deepEqual([cost, new Set(seller.got).size, seller.got.length], [10_000n, 1, 3]);
  });

  it('is shown again after a restart, and to a seller that asks for more, no second payment', async () => {
    const buy = buyer('over a restart');
    const cost = await spent(async () => {
      seller.behave({ paid: 'fail' });
      const first = await buy();
      assert.equal(first.body.response.status, 502);
      await alice.restart();
      seller.behave({ paid: 'dearer' });
      const dearer = await buy();
      assert.equal(dearer.body.response.status, 402);
      assert.match(dearer.body.problem, /asks for a payment again, which was not made/);
      seller.behave();
      const served = await buy();
      assert.deepEqual([served.body.response.status, served.body.payment_id], [200, first.body.payment_id]);
    });
    assert.equal(cost, 10_000n);
  });

  it('keeps its key for what it asked for', async () => {
    seller.behave({ paid: 'busy' });
    await buyer('one thing')();
    const other = await buyer('one thing', doorUrl())();
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
  });

  it('is asked for again where the seller answered 503 before it asked for a payment', async () => {
    const buy = buyer('closed first', doorUrl());
    closed = true;
    const first = await buy();
    assert.deepEqual([first.body.status, first.body.response.status], ['not_needed', 503]);
    closed = false;
    const cost = await spent(async () => {
      const served = await buy();
      assert.deepEqual([served.body.status, served.body.response.status], ['paid', 200]);
    });
    assert.equal(cost, 10_000n);
  });

  it('is shown to the seller behind a redirect, where the first call went', async () => {
    const buy = buyer('led elsewhere', doorUrl());
    const cost = await spent(async () => {
      seller.behave({ paid: 'busy' });
      assert.equal((await buy()).body.response.status, 503);
      seller.behave();
      assert.equal((await buy()).body.response.status, 200);
    });
    assert.deepEqual([cost, new Set(seller.got).size], [10_000n, 1]);
  });

  it('is never paid anew under its key: where the first payment can never land, another key pays', async () => {
    const buy = buyer('never taken');
    const cost = await spent(async () => {
      seller.behave({ paid: 'refuse' });
      const first = await buy();
      assert.deepEqual([first.body.status, first.body.response.status], ['pending', 500]);
      mesh.localnet.warp({ slots: 200, blocks: 200 });
      mesh.advance(20);
      await happens('it is unpaid', async () => {
        const { body } = await alice.get(`/wallet/x402/${first.body.payment_id}`);
        return body.status === 'unpaid' || undefined;
      });
      seller.behave();
      const refused = await buy();
      assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
      assert.equal(refused.body.payment_id, first.body.payment_id);
      const second = await buyer('never taken, again')();
      assert.deepEqual([second.body.status, second.body.response.status], ['paid', 200]);
      assert.notEqual(second.body.payment_id, first.body.payment_id);
    });
    assert.equal(cost, 10_000n);
  });
});
