import assert from 'node:assert/strict';
import { accepted, delivered, proposed } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

describe('a mesh that speaks envelope version 1', () => {
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      isolated: true,
      settings: { network: { id: 'mesh-tests', envelope: 1 } },
    });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  it('is what `network.envelope` says, and what a node tells of itself', async () => {
    assert.equal((await alice.client.identity()).envelope_version, 1);
  });

  it('carries a deal from PROPOSE to FEEDBACK, which counts at the aggregator', async () => {
    const conversation_id = await delivered(alice, bob);
    await alice.client.feedback({ conversation_id, score: 80 });
    await bob.client.feedback({ conversation_id, score: 60 });
    const rated = await happens('both ratings are indexed', async () => {
      const response = await fetch(`${mesh.aggregatorNode.url}/interactions`);
      const found = (await response.json()) as any;
      const list = Array.isArray(found) ? found : found.interactions;
      return list.length === 2 ? list : undefined;
    });
    assert.deepEqual(rated.map(({ score }: any) => score).sort(), [60, 80]);
  });

  it('takes counter offers, an ACCEPT without the id of its offer, and a refusal', async () => {
    const conversation_id = await proposed(alice, bob);
    await bob.client.counter({ conversation_id, amount_usdc: '2' });
    await alice.dealWhen(conversation_id, 'countered');
    const payload = { amount_usdc_micro: 2_000_000 };
    await alice.client.send({ msg_type: 'ACCEPT', recipient: bob.id, conversation_id, payload });
    await bob.dealWhen(conversation_id, 'accepted');
    const other = await proposed(alice, bob);
    await bob.client.reject({ conversation_id: other, reason: 'No time.' });
    await alice.dealWhen(other, 'rejected');
  });

  it('has no sealed payloads, and says so', async () => {
    const offer = { recipient: bob.id, message: 'Psst.', sealed: true };
    const { status, body } = await alice.post('/negotiate/propose', offer);
    assert.deepEqual([status, body.fields[0].pointer], [400, '/sealed']);
  });

  it('shows the bytes of version 1 in the inbox: an offer is 16 bytes of amount and JSON', async () => {
    const conversation_id = await accepted(alice, bob, { amount_usdc: '1.5' });
    const { frames } = await bob.client.inboxPage({ conversation_id });
    const bytes = Buffer.from(frames[0]!.payload_b64, 'base64');
    assert.equal(bytes.readBigUInt64LE(0), 1_500_000n);
    assert.equal(JSON.parse(bytes.subarray(16).toString()).message, 'Count the words.');
  });
});
