import assert from 'node:assert/strict';
import { Ledger } from '../../core/ports.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

describe('a notary', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob' | 'nora'>;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob', 'nora'], usdc: { alice: '20' } });
  });
  after(() => mesh.stop());

  /** A deal of 2 USDC with nora as notary, locked, assigned and delivered. */
  async function delivered(): Promise<string> {
    const { alice, bob, nora } = mesh.nodes;
    const terms = { recipient: bob.id, amount_usdc: '2', message: 'Count.', notary: nora.id, escrow: true };
    const { conversation_id } = await alice.client.propose(terms);
    await bob.dealWhen(conversation_id, 'proposed');
    await bob.client.accept({ conversation_id });
    await alice.dealWhen(conversation_id, 'accepted');
    const lock = await alice.post('/escrow/lock', { conversation_id });
    assert.equal(lock.status, 200, JSON.stringify(lock.body));
    assert.equal((await alice.post('/notarize/assign', { conversation_id })).status, 200);
    await bob.dealWhen(conversation_id, (deal) => deal.allowed_actions.includes('deliver'));
    const early = await nora.post('/verdict', { conversation_id, outcome: 'approve' });
    assert.deepEqual([early.status, early.body.code], [409, 'invalid_transition']);
    await bob.client.deliver({ conversation_id, content: '1200' });
    const settlement = nora.node.get(Ledger)!.settlement!;
    const name = { requester: alice.id, provider: bob.id, conversation: conversation_id };
    await happens(
      'a delivery on the ledger',
      async () => (await settlement.escrow(name))?.state === 'delivered' || undefined,
    );
    return conversation_id;
  }

  async function usdc(name: 'alice' | 'bob'): Promise<bigint> {
    return mesh.nodes.nora.node.get(Ledger)!.usdc(mesh.nodes[name].id);
  }

  it('is assigned by a party, and sees its case', async () => {
    const { alice, nora, bob } = mesh.nodes;
    const conversation = await delivered();
    const [found] = (await nora.get('/notarize/cases')).body;
    assert.deepEqual(found, {
      conversation_id: conversation,
      requester: alice.id,
      provider: bob.id,
      assigned_by: [alice.id],
      opened_at: found.opened_at,
      verdict: null,
    });
  });

  for (const [outcome, escrow, to] of [
    ['approve', 'released', 'bob'],
    ['reject', 'refunded', 'alice'],
  ] as const) {
    it(`moves the escrow by its verdict: ${outcome}`, async () => {
      const { alice, bob, nora } = mesh.nodes;
      const conversation_id = await delivered();
      const before = await usdc(to);
      const { status, body } = await nora.post('/verdict', { conversation_id, outcome, reason: 'I have counted.' });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(
        [body.verdict.outcome, body.verdict.escrow, body.verdict.envelopes.length],
        [outcome, escrow, 2],
      );
      assert.equal((await usdc(to)) - before, 2_000_000n);
      const state = outcome === 'approve' ? 'settled' : 'refunded';
      await alice.dealWhen(conversation_id, state);
      await bob.dealWhen(conversation_id, state);

      const again = await nora.post('/verdict', { conversation_id, outcome });
      assert.equal(again.body.verdict.signature, body.verdict.signature);
      const other = await nora.post('/verdict', {
        conversation_id,
        outcome: outcome === 'approve' ? 'reject' : 'approve',
      });
      assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
      assert.equal((await usdc(to)) - before, 2_000_000n);
    });
  }

  it('judges nothing it was not assigned, and is assigned only where the terms name it', async () => {
    const { alice, bob, nora } = mesh.nodes;
    const unknown = await nora.post('/verdict', { conversation_id: 'ab'.repeat(16), outcome: 'approve' });
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found']);
    const { conversation_id } = await alice.client.propose({ recipient: bob.id, amount_usdc: '1', message: 'Hello.' });
    const none = await alice.post('/notarize/assign', { conversation_id });
    assert.deepEqual([none.status, none.body.code], [409, 'invalid_transition']);
  });

  it('is looked for and offers itself in public', async () => {
    const { alice, nora } = mesh.nodes;
    const conversation_id = 'cd'.repeat(16);
    const asked = await alice.post('/notarize/bid', { conversation_id, kind: 'request' });
    const offered = await nora.post('/notarize/bid', { conversation_id, kind: 'offer', note: '0.1 USDC' });
    assert.deepEqual([asked.body.status, offered.body.status], ['delivered', 'delivered']);
  });
});
