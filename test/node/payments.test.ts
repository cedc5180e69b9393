import assert from 'node:assert/strict';
import { Identity, Ledger, Store } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { transactions } from '../../core/ledger/recorded-transaction.ts';
import { deals } from '../../core/node/deals/deal-document.ts';
import { DealBook } from '../../core/node/services/deal-book.ts';
import { NodeSpace } from '../../core/node/services/messaging.ts';
import { accepted, delivered, proposed } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';

describe('paying for a deal on the ledger', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob' | 'carol'>;
  let alice: Member;
  let bob: Member;
  let rpc: RpcProxy;
  before(async () => {
    rpc = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'carol'],
      storage: 'lowdb',
      usdc: { alice: '100' },
      rpcUrl(url) {
        rpc.target = url;
        return rpc.url;
      },
    });
    ({ alice, bob } = mesh.nodes);
  });
  after(async () => {
    await mesh.stop();
    await rpc.stop();
  });

  const usdcOf = (member: Member) => member.node.get(Ledger).usdc(member.id);
  const slotOf = (member: Member) => member.node.get(Ledger).slot();
  afterEach(() => rpc.heal());

  it('the balances show SOL first and USDC by name', async () => {
    const { address, tokens } = await alice.client.balances();
    assert.equal(address, alice.id);
    assert.deepEqual(
      tokens.map(({ symbol, amount, amount_base, decimals }) => [symbol, amount, amount_base, decimals]),
      [
        ['SOL', 1, '1000000000', 9],
        ['USDC', 100, '100000000', 6],
      ],
    );
  });

  it('a delivered deal is paid, once however often it is asked for, and the provider settles it by itself', async () => {
    const before = await usdcOf(alice);
    const conversation_id = await delivered(alice, bob);
    const [first, second] = await Promise.all([alice.client.pay(conversation_id), alice.client.pay(conversation_id)]);
    assert.deepEqual([first.state, first.payment?.status], ['settled', 'confirmed']);
    assert.deepEqual(second, first);
    assert.deepEqual((await alice.client.pay(conversation_id)).payment, first.payment);
    assert.equal(before - (await usdcOf(alice)), 1_500_000n);
    const theirs = await bob.dealWhen(conversation_id, 'settled');
    assert.equal(theirs.history.at(-1)!.event, 'paid');
    assert.deepEqual(theirs.allowed_actions, ['feedback']);
    assert.equal(await usdcOf(bob), 1_500_000n);
  });

  it('a wallet without enough is told what is missing, and nothing is recorded', async () => {
    const { carol } = mesh.nodes;
    const conversation_id = await delivered(carol, bob);
    const { status, body } = await carol.post(`/deals/${conversation_id}/pay`);
    assert.deepEqual([status, body.code], [402, 'insufficient_funds']);
    assert.deepEqual([body.asset, body.available, body.needed], ['USDC', '0', '1.5']);
    const deal = await carol.client.deal(conversation_id);
    assert.deepEqual([deal.state, deal.payment], ['delivered', undefined]);
  });

  it('only the requester pays, and only what is owed', async () => {
    const open = await proposed(alice, bob);
    const free = await delivered(alice, bob, { amount_usdc: '0' });
    const owed = await accepted(alice, bob);
    for (const [member, conversation_id] of [
      [alice, open],
      [alice, free],
      [bob, owed],
    ] as const) {
      const { status, body } = await member.post(`/deals/${conversation_id}/pay`);
      assert.deepEqual([status, body.code], [409, 'invalid_transition']);
      assert.ok(Array.isArray(body.allowed_actions));
    }
    assert.equal((await alice.post(`/deals/${'00'.repeat(16)}/pay`)).status, 404);
  });

  it('a payment interrupted by a restart goes on with the same transaction', async () => {
    const before = await usdcOf(alice);
    const conversation_id = await delivered(alice, bob);
    rpc.lost.add('sendTransaction');
    const unanswered = alice.post(`/deals/${conversation_id}/pay`);
    const { payment } = await alice.dealWhen(conversation_id, (deal) => deal.payment !== undefined);
    assert.equal(payment!.status, 'recorded');
    await alice.restart();
    assert.deepEqual((({ status, body }) => [status, body.code])(await unanswered), [503, 'not_ready']);
    assert.equal((await alice.client.deal(conversation_id)).payment!.status, 'recorded');

    rpc.lost.clear();
    const settled = await alice.dealWhen(conversation_id, 'settled');
    assert.deepEqual(settled.payment, { signature: payment!.signature, status: 'confirmed' });
    assert.equal(before - (await usdcOf(alice)), 1_500_000n);
    await bob.dealWhen(conversation_id, 'settled');
  });

  it('a provider that was away when it was paid settles when it is back', async () => {
    const conversation_id = await delivered(alice, bob);
    await bob.stop();
    await alice.client.pay(conversation_id);
    await bob.start();
    await bob.dealWhen(conversation_id, 'settled');
  });

  it('a payment seen before its ACCEPT counts when that arrives', async () => {
    const watched = await accepted(alice, bob);
    const conversation_id = await proposed(alice, bob);
    await bob.client.counter({ conversation_id, amount_usdc: '2' });
    await alice.dealWhen(conversation_id, 'countered');
    await bob.stop();
    assert.equal((await alice.client.accept({ conversation_id })).status, 'queued');
    await alice.client.pay(conversation_id);
    await alice.client.pay(watched);
    await alice.stop();

    await bob.start();
    await bob.dealWhen(watched, (deal) => deal.history.some(({ event }: { event: string }) => event === 'paid'));
    assert.equal((await bob.client.deal(conversation_id)).state, 'countered');
    await alice.start();
    await bob.dealWhen(conversation_id, 'accepted');
    await bob.client.deliver({ conversation_id, content: 'done' });
    assert.equal((await bob.client.deal(conversation_id)).state, 'settled');
    await alice.dealWhen(conversation_id, 'settled');
  });

  /** So many blocks that nothing made before can land any more. */
  const pass = () => mesh.localnet.warp({ slots: 200, blocks: 200 });

  it('is made once although an RPC tells old statuses beside new block heights', async () => {
    const before = await usdcOf(alice);
    const conversation_id = await delivered(alice, bob);
    // A balanced RPC: statuses come from a node that has stopped, block heights from one at the tip.
    const stopped = await slotOf(alice);
    rpc.answer('getSignatureStatuses', () => ({ context: { slot: stopped }, value: [null] }));
    const sent = rpc.passed['sendTransaction'] ?? 0;
    const calls = [alice.post(`/deals/${conversation_id}/pay`)];
    await happens('the payment has landed', async () => (before - (await usdcOf(alice)) > 0n ? true : undefined));
    let answered = 0;
    for (let times = 0; times < 3; times++) {
      pass();
      calls.push(alice.post(`/deals/${conversation_id}/pay`));
      await new Promise((done) => setTimeout(done, 1_000));
    }
    for (const call of calls) void call.then(() => (answered += 1));
    await new Promise((done) => setTimeout(done, 100));
    assert.equal(answered, 0, 'nothing is said of a payment that nobody knows the outcome of');
    assert.ok((rpc.passed['sendTransaction'] ?? 0) > sent);
    rpc.heal();
    for (const { status, body } of await Promise.all(calls)) {
      assert.deepEqual([status, body.state, body.payment?.status], [200, 'settled', 'confirmed'], JSON.stringify(body));
    }
    assert.equal(before - (await usdcOf(alice)), 1_500_000n);
    await bob.dealWhen(conversation_id, 'settled');
  });

  it('is made anew, by a second call, when it certainly was not taken', async () => {
    const before = await usdcOf(alice);
    const conversation_id = await delivered(alice, bob);
    rpc.lost.add('sendTransaction');
    const given = alice.post(`/deals/${conversation_id}/pay`);
    for (let times = 0, known: string | undefined; times < 3; times++) {
      const isNew = (deal: any) => deal.payment?.status === 'recorded' && deal.payment.signature !== known;
      known = (await alice.dealWhen(conversation_id, isNew)).payment!.signature;
      pass();
    }
    const { status, body } = await given;
    assert.deepEqual([status, body.code], [503, 'ledger_unavailable']);
    assert.match(body.detail, /did not take the transaction in time; nothing was changed/);
    assert.equal((await alice.client.deal(conversation_id)).payment!.status, 'failed');
    rpc.heal();
    assert.equal((await alice.client.pay(conversation_id)).state, 'settled');
    assert.equal(before - (await usdcOf(alice)), 1_500_000n);
  });

  it('is found in the history by a node that has lost its records', async () => {
    const before = await usdcOf(alice);
    const conversation_id = await accepted(alice, bob);
    const document = await alice.node.get(DealBook).get(conversation_id);
    const { payment } = await alice.client.pay(conversation_id);
    const paid = before - (await usdcOf(alice));
    await alice.node.get(NodeSpace).put(deals.ref(conversation_id), document);
    await alice.node
      .get(Store)
      .space('ledger')
      .del(transactions.ref(`pay/${conversation_id}`));
    assert.equal((await alice.client.deal(conversation_id)).payment, undefined);
    // Another blockhash, so that the same transfer would be another transaction.
    pass();

    const locked = await alice.post('/escrow/lock', { conversation_id });
    assert.deepEqual([locked.status, locked.body.allowed_actions], [409, ['pay']], JSON.stringify(locked.body));
    assert.ok(locked.body.detail.includes(payment!.signature));
    assert.deepEqual((await alice.client.pay(conversation_id)).payment, payment);
    assert.equal(before - (await usdcOf(alice)), paid);
    await bob.client.deliver({ conversation_id, content: 'done' });
    await alice.dealWhen(conversation_id, 'settled');
  });

  it('is not made where the amount is locked already, though the deal does not show it yet', async () => {
    const conversation_id = await accepted(alice, bob);
    const document = await alice.node.get(DealBook).get(conversation_id);
    assert.equal((await alice.post('/escrow/lock', { conversation_id })).status, 200);
    const before = await usdcOf(alice);
    await alice.node.get(NodeSpace).put(deals.ref(conversation_id), document);
    const { status, body } = await alice.post(`/deals/${conversation_id}/pay`);
    assert.equal(status, 409, JSON.stringify(body));
    assert.deepEqual(body.allowed_actions, ['approve']);
    assert.equal(await usdcOf(alice), before);
  });

  it('that an earlier version recorded in the deal alone goes on', async () => {
    const before = await usdcOf(alice);
    const conversation_id = await delivered(alice, bob);
    const transfer = { to: bob.id, amount: 1_500_000n, memo: `agent-mesh:${conversation_id}` };
    const prepared = await alice.node.get(Ledger).prepareUsdcTransfer(transfer, ledgerSigner(alice.node.get(Identity)));
    const { madeAfter: _, ...old } = prepared;
    const document = await alice.node.get(DealBook).get(conversation_id);
    await alice.node.get(NodeSpace).put(deals.ref(conversation_id), {
      ...document,
      payment: { ...old, amount: '1500000', status: 'recorded' },
    });
    await alice.restart();
    const settled = await alice.dealWhen(conversation_id, 'settled');
    assert.deepEqual(settled.payment, { signature: old.signature, status: 'confirmed' });
    assert.equal(before - (await usdcOf(alice)), 1_500_000n);
  });

  it('a payment that the ledger lists and does not show keeps no other waiting, and counts once it is shown', async () => {
    const read = new Set<string>();
    let hidden: string | undefined;
    let hides = false;
    rpc.changed.set('getTransaction', async (call) => {
      const [signature] = call.params;
      if (hides && !read.has(signature)) hidden ??= signature;
      if (hides && signature === hidden) return { jsonrpc: '2.0', id: call.id, result: null };
      read.add(signature);
      return call.pass();
    });
    const settled = async (conversation: string) => {
      await bob.dealWhen(conversation, (deal) => {
        // A minute of patience, three times asked.
        mesh.advance(5);
        return deal.state === 'settled';
      });
    };
    const [first, second, third] = [
      await delivered(alice, bob),
      await delivered(alice, bob),
      await delivered(alice, bob),
    ];
    await alice.client.pay(first);
    await settled(first);
    hides = true;
    await alice.client.pay(second);
    await happens('it is asked for', async () => hidden);
    await alice.client.pay(third);
    await settled(third);
    assert.equal((await bob.client.deal(second)).state, 'delivered');
    hides = false;
    await settled(second);
    assert.equal((await bob.client.deal(second)).history.at(-1)!.event, 'paid');
  });
});
