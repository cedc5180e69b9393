import assert from 'node:assert/strict';
import { accepted } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

describe('a node that is restarted', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb' });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  it('is who it was, knows its deals, and goes on signing behind its last nonce', async () => {
    const conversation_id = await accepted(alice, bob);
    const { nonce } = await alice.client.send({ msg_type: 'DISCOVER', payload: { query: 'x' } });
    const before = { id: alice.id, deals: await alice.client.deals(), identity: await alice.client.identity() };
    await alice.restart();
    assert.deepEqual(
      { id: alice.id, deals: await alice.client.deals(), identity: await alice.client.identity() },
      before,
    );
    const next = await alice.client.send({ msg_type: 'DISCOVER', payload: { query: 'x' } });
    assert.ok(
      next.nonce > nonce && next.nonce <= nonce + 3,
      `${nonce} and then ${next.nonce}, with a BEACON or two between`,
    );
    await bob.client.deliver({ conversation_id, content: 'done' });
    await alice.dealWhen(conversation_id, 'delivered');
  });

  it('delivers what it could not deliver before', async () => {
    await bob.stop();
    const wish = { recipient: bob.id, amount_usdc: '1', message: 'When you are back.' };
    const { status, conversation_id, envelope_id } = await alice.client.propose(wish);
    assert.equal(status, 'queued');
    const waiting = await alice.client.trace(envelope_id);
    assert.deepEqual([waiting.status, waiting.hops.at(-1)!.detail], ['queued', 'unreachable']);
    const withdrawn = await alice.client.reject({ conversation_id });
    assert.equal(withdrawn.status, 'queued');
    await alice.restart();
    await bob.start();
    const deal = await bob.dealWhen(conversation_id, 'rejected');
    assert.deepEqual(
      deal.history.map(({ event }: { event: string }) => event),
      ['propose', 'reject'],
    );
    assert.equal((await alice.client.trace(envelope_id)).status, 'delivered');
  });

  it('recognises an operation it has done, and does it no second time', async () => {
    const wish = { recipient: bob.id, amount_usdc: '1', message: 'Once.' };
    const key = { 'idempotency-key': 'once' };
    const first = await alice.post('/negotiate/propose', wish, key);
    assert.equal(first.status, 200);
    await alice.restart();
    const second = await alice.post('/negotiate/propose', wish, key);
    assert.equal(second.status, 200);
    assert.equal(second.body.envelope_id, first.body.envelope_id);
    assert.equal(second.body.conversation_id, first.body.conversation_id);
    const { deals } = await alice.client.deals({ limit: 200 });
    assert.equal(deals.filter(({ message }) => message === 'Once.').length, 1);
  });

  it('starts the deal timers that ran out while it was down', async () => {
    const expires_at = new Date(Date.now() + 1_000).toISOString();
    const wish = { recipient: bob.id, amount_usdc: '1', message: 'Quick.', expires_at };
    const { conversation_id } = await alice.client.propose(wish);
    await alice.stop();
    await new Promise((wait) => setTimeout(wait, 1_100));
    await alice.start();
    await alice.dealWhen(conversation_id, 'expired');
    await happens('it is listed as expired', async () => {
      const { deals } = await alice.client.deals({ state: 'expired' });
      return deals.some((deal) => deal.conversation_id === conversation_id) || undefined;
    });
  });
});
