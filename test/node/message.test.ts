import assert from 'node:assert/strict';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

const TYPES =
  'ADVERTISE, DISCOVER, PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, NOTARIZE_BID, NOTARIZE_ASSIGN, VERDICT, FEEDBACK, DISPUTE, BROADCAST, BOUNTY, MESSAGE';

describe('MESSAGE', () => {
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], settings: { mesh: { senderMessages: 5 } } });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  const received = (envelopeId: string) =>
    happens(`bob has ${envelopeId}`, async () => {
      const { frames } = await bob.client.inboxPage({ limit: 200 });
      return frames.find(({ envelope_id }) => envelope_id === envelopeId);
    });

  it('carries a text to an agent one has no deal with', async () => {
    const text = 'Can you read Korean? 한국어 🙂';
    const sent = await alice.post('/message', { recipient: bob.id, text });
    assert.deepEqual([sent.status, sent.body.status], [200, 'delivered']);
    const frame = await received(sent.body.envelope_id);
    assert.deepEqual(
      [frame.msg_type, frame.sender, frame.recipient, frame.payload],
      ['MESSAGE', alice.id, bob.id, { text }],
    );
    assert.equal(Buffer.from(frame.payload_b64, 'base64').toString(), text);
    assert.deepEqual((await bob.client.deals()).deals, []);
  });

  it('is answered in its conversation, through /envelopes/send too, as JSON and as bytes', async () => {
    const { conversation_id } = await alice.client.message({ recipient: bob.id, text: 'Ping.' });
    const { body } = await alice.post('/envelopes/send', {
      msg_type: 'message',
      recipient: bob.id,
      conversation_id,
      payload: { text: 'Are you there?' },
    });
    assert.equal((await received(body.envelope_id)).conversation_id, conversation_id);
    const raw = await alice.post('/envelopes/send', {
      msg_type: 'MESSAGE',
      recipient: bob.id,
      conversation_id,
      payload_b64: Buffer.from('Hello.').toString('base64'),
    });
    assert.deepEqual((await received(raw.body.envelope_id)).payload, { text: 'Hello.' });
  });

  it('is read by nobody else when it is sealed', async () => {
    const sent = await alice.client.message({ recipient: bob.id, text: 'Between us.', sealed: true });
    const frame = await received(sent.envelope_id);
    assert.deepEqual([frame.sealed, frame.payload], [true, { text: 'Between us.' }]);
  });

  it('of one sender waits there when there are too many a minute, and then arrives', async () => {
    const sent: { envelope_id: string; status: string }[] = [];
    for (let i = 0; i < 6; i++) sent.push(await bob.client.message({ recipient: alice.id, text: `Text ${i}.` }));
    assert.deepEqual(
      sent.map(({ status }) => status),
      ['delivered', 'delivered', 'delivered', 'delivered', 'delivered', 'queued'],
    );
    const { hops } = await bob.client.trace(sent[5]!.envelope_id);
    assert.deepEqual([hops.at(-1)!.event, hops.at(-1)!.detail], ['put off', 'rate-limited']);
    // Nothing but texts is held up.
    const proposal = await bob.client.propose({ recipient: alice.id, amount_usdc: '0', message: 'Work.' });
    assert.equal(proposal.status, 'delivered');
    mesh.advance(60);
    await bob.client.message({ recipient: alice.id, text: 'One more.' });
    await happens('the sixth text arrives', async () => {
      const { status } = await bob.client.trace(sent[5]!.envelope_id);
      return status === 'delivered' || undefined;
    });
  });

  it('is refused with the field when there is nothing to read, or nobody to read it', async () => {
    const cases: [body: object, pointer: string][] = [
      [{ recipient: bob.id }, '/text'],
      [{ recipient: bob.id, text: '' }, '/text'],
      [{ recipient: bob.id, text: 'x'.repeat(16_385) }, '/text'],
      [{ recipient: bob.id, text: '한'.repeat(6_000) }, '/text'],
      [{ recipient: bob.id, text: '\ud800' }, '/text'],
      [{ text: 'x' }, '/recipient'],
      [{ recipient: alice.id, text: 'x' }, '/recipient'],
      [{ recipient: bob.id, text: 'x', conversation_id: '0'.repeat(32) }, '/conversation_id'],
    ];
    for (const [body, pointer] of cases) {
      const answer = await alice.post('/message', body);
      assert.deepEqual(
        [answer.status, answer.body.fields?.[0]?.pointer],
        [400, pointer],
        JSON.stringify(body).slice(0, 60),
      );
    }
  });

  it('is in the list that the refusal of an unknown type shows', async () => {
    for (const msg_type of ['GREET', 'BEACON']) {
      const { status, body } = await alice.post('/envelopes/send', { msg_type, payload: {} });
      assert.deepEqual([status, body.fields[0].pointer], [400, '/msg_type']);
      assert.ok(body.detail.endsWith(`${msg_type}. It is one of ${TYPES}`), body.detail);
    }
  });
});
