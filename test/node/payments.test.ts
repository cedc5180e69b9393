import assert from 'node:assert/strict';
import { Ledger } from '../../core/ports.ts';
import { accepted, delivered, proposed } from '../support/deals.ts';
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
});
