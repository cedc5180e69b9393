import assert from 'node:assert/strict';
import { accepted, delivered, proposed } from '../support/deals.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { base64, newest, refused, send, taken } from './support/calls.ts';

const ZEROS = '0'.repeat(64);

/** Envelopes as existing clients ask for them: what HTTP takes liberally goes out as the mesh wants it. */
describe('the messages of a node, in the words of existing clients', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob' | 'nora'>;
  let alice: Member;
  let bob: Member;
  let nora: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob', 'nora'] });
    ({ alice, bob, nora } = mesh.nodes);
  });
  after(() => mesh.stop());

  describe('FEEDBACK', () => {
    const shapes: [what: string, path: string, body: (conversation: string, target: string) => object][] = [
      [
        'the helper of the specification',
        '/feedback',
        (conversationId, targetAgent) => ({
          conversationId,
          targetAgent,
          score: 50,
          outcome: 'positive',
          role: 'participant',
        }),
      ],
      [
        'snake_case with numbers',
        '/feedback',
        (conversation_id, target_agent) => ({ conversation_id, target_agent, score: 50, outcome: 2, role: 0 }),
      ],
      [
        'a recipient instead of a target',
        '/feedback',
        (conversation_id, recipient) => ({ conversation_id, recipient, score: 50, outcome: 'positive' }),
      ],
      [
        'the envelope of the specification',
        '/envelopes/send',
        (conversationId, recipient) => ({
          msgType: 'FEEDBACK',
          recipient,
          conversationId,
          payload: { score: 50, outcome: 'positive', role: 'participant' },
        }),
      ],
      [
        'a recipient of zeros and snake_case',
        '/envelopes/send',
        (conversation_id, target_agent) => ({
          msg_type: 'feedback',
          recipient: ZEROS,
          conversation_id,
          payload: { target_agent, score: 50, outcome: 2, role: 0, is_dispute: false },
        }),
      ],
      [
        'JSON in payload_b64',
        '/envelopes/send',
        (conversation_id, recipient) => ({
          msg_type: 'FEEDBACK',
          recipient,
          conversation_id,
          payload_b64: base64('{"score":50,"outcome":"positive","role":"participant"}'),
        }),
      ],
    ];
    for (const [what, path, body] of shapes) {
      it(`is taken as ${what}, and answered with number and name`, async () => {
        const conversation = await delivered(alice, bob);
        const { feedback } = taken(await alice.post(path, body(conversation, bob.id)));
        const view = {
          conversation_id: conversation,
          target_agent: bob.id,
          score: 50,
          outcome: 2,
          outcome_name: 'positive',
          is_dispute: false,
          role: 0,
          role_name: 'participant',
        };
        assert.deepEqual(feedback, view);
        assert.deepEqual((await newest(bob, conversation, 'FEEDBACK')).feedback, view);
      });
    }

    it('is refused by the name that the caller wrote', async () => {
      const conversationId = await delivered(alice, bob);
      refused(await alice.post('/feedback', { conversationId, targetAgent: 'x', score: 1 }), '/targetAgent', /form/);
      const notary = { conversationId, score: 1, role: 'notary' };
      refused(await alice.post('/feedback', notary), '/role', /participant/);
      const rating = { msgType: 'FEEDBACK', recipient: bob.id, conversationId };
      const send = (payload: object) => alice.post('/envelopes/send', { ...rating, payload });
      refused(await send({ score: 500 }), '/payload/score', /<= 100/);
      refused(await send({ score: 1, targetAgent: alice.id }), '/payload/recipient', /not the target_agent/);
      refused(await send({ score: 1, outcome: 'great' }), '/payload/outcome', /one of negative, neutral, positive/);
    });
  });

  describe('DELIVER with its content in payload_b64', () => {
    const contents: [what: string, content: string | Uint8Array, type: string | undefined][] = [
      ['JSON', '{"words":3}', 'application/json'],
      ['text', 'three words here', 'text/plain; charset=utf-8'],
      ['bytes', new Uint8Array([0xff, 0x00, 0xfe]), undefined],
      ['48 KiB', 'x'.repeat(48 * 1024), 'text/plain; charset=utf-8'],
    ];
    for (const [what, content, type] of contents) {
      it(`is wrapped: ${what}`, async () => {
        const conversationId = await accepted(alice, bob);
        const body = { msgType: 'DELIVER', recipient: alice.id, conversationId, payload_b64: base64(content) };
        taken(await send(bob, body));
        const frame = await newest(alice, conversationId, 'DELIVER');
        assert.equal(frame.payload_b64, base64(content));
        assert.deepEqual([frame.deliver.inline_b64, frame.deliver.content_type], [base64(content), type]);
      });
    }

    it('needs a conversation', async () => {
      const body = { msgType: 'DELIVER', recipient: alice.id, payload_b64: base64('x') };
      refused(await send(bob, body), '/conversation_id', /needed/);
    });
  });

  it('a recipient of zeros on a broadcast is nobody, and on a letter is refused', async () => {
    for (const recipient of [ZEROS, '1'.repeat(32), null]) {
      taken(await send(alice, { msg_type: 'DISCOVER', recipient, payload: { query: 'translate' } }));
      const { status, body } = await send(alice, { msg_type: 'REJECT', recipient, payload: { reason: 'x' } });
      assert.deepEqual([status, body.fields[0].pointer], [400, '/recipient']);
    }
  });

  it('an ACCEPT without offer_id is of the last offer of the deal', async () => {
    const offer = Buffer.alloc(16);
    offer.writeBigUInt64LE(1_500_000n);
    for (const body of [
      { payload: {} },
      { payload: { amount_usdc_micro: 1_500_000 } },
      { payload_b64: base64(Buffer.concat([offer, Buffer.from('{"message":"deal"}')])) },
    ]) {
      const conversation_id = await proposed(alice, bob);
      taken(await send(bob, { msg_type: 'ACCEPT', recipient: alice.id, conversation_id, ...body }));
      await alice.dealWhen(conversation_id, 'accepted');
    }
    const conversation_id = await proposed(alice, bob);
    const wrong = { msg_type: 'ACCEPT', recipient: alice.id, conversation_id, payload: { amount_usdc_micro: 2 } };
    assert.equal((await send(bob, wrong)).status, 409, 'another amount is no acceptance of this offer');
  });

  it('an answer to an offer names the other side, the last offer and its amount, or is refused by the caller’s own names', async () => {
    const conversation_id = await proposed(alice, bob, { amount_usdc: '1.5' });
    const { envelope_id: first } = (await alice.client.deal(conversation_id)).history[0]!;
    const accept = (body: object) => bob.post('/negotiate/accept', { conversation_id, ...body });
    const last = /last offer, 1\.5 USDC \(1500000 minor units\)/;
    refused(await accept({ amount_usdc_micro: 1_400_000 }), '/amount_usdc_micro', last);
    refused(await accept({ amountUsdcMicro: 1_400_000 }), '/amountUsdcMicro', last);
    refused(await accept({ amount_usdc: '1.4' }), '/amount_usdc', last);
    for (const path of ['/negotiate/accept', '/negotiate/counter']) {
      const other = await bob.post(path, { conversation_id, recipient: nora.id, amount_usdc: '1.5' });
      refused(other, '/recipient', new RegExp(`is not the other side of this deal, which is ${alice.id}`));
    }
    taken(await bob.post('/negotiate/counter', { conversation_id, recipient: alice.id, amount_usdc: '1.5' }));
    await alice.dealWhen(conversation_id, 'countered');
    const stale = await alice.post('/negotiate/accept', { conversation_id, offer_id: first });
    const { envelope_id: second } = (await alice.client.deal(conversation_id)).history[1]!;
    refused(stale, '/offer_id', new RegExp(`is not that of the last offer, which is ${second}`));
    taken(await alice.post('/negotiate/accept', { conversation_id, offer_id: second }));
  });

  it('a member that may be null is refused with one sentence', async () => {
    for (const member of ['recipient', 'conversation_id']) {
      const { status, body } = await send(alice, { msg_type: 'REJECT', payload: { reason: 'x' }, [member]: 'nobody' });
      assert.deepEqual([status, body.fields.length, body.fields[0].pointer], [400, 1, `/${member}`]);
      assert.match(body.fields[0].message, /has the wrong form/);
    }
    const own = await send(alice, { msg_type: 'MESSAGE', recipient: alice.id, payload: { text: 'x' } });
    refused(own, '/recipient', /is the sender itself/);
  });

  it('a BROADCAST may be JSON in payload_b64', async () => {
    const json = { topic: 'news', title: 'Morning', tags: ['daily'], format: 'text', content_b64: base64('Hello.') };
    const sent = taken(
      await send(alice, { msg_type: 'BROADCAST', recipient: null, payload_b64: base64(JSON.stringify(json)) }),
    );
    assert.equal((await alice.client.trace(sent.envelope_id)).msg_type, 'BROADCAST');
  });

  it('a VERDICT may say completed, failed or partial, with its reasoning', async () => {
    for (const [word, outcome] of [
      ['completed', 'approve'],
      ['failed', 'reject'],
      ['partial', 'reject'],
    ] as const) {
      const conversation_id = await judged();
      const verdict = { msg_type: 'VERDICT', recipient: bob.id, conversation_id };
      const json = JSON.stringify({ outcome: word, reasoning: 'ok' });
      const body = word === 'failed' ? { payload_b64: base64(json) } : { payload: JSON.parse(json) };
      const { envelope_id } = taken(await send(nora, { ...verdict, ...body }));
      const { payload } = await newest(bob, conversation_id, 'VERDICT');
      assert.equal(payload.outcome, outcome);
      assert.match(payload.reason_hash, /^[0-9a-f]{64}$/);
      assert.equal((await newest(bob, conversation_id, 'VERDICT')).envelope_id, envelope_id);
      assert.equal((await newest(alice, conversation_id, 'VERDICT')).payload.outcome, outcome, 'to both parties');
      refused(await send(nora, { ...verdict, payload: { outcome: 'maybe' } }), '/payload/outcome', /one of approve/);
      const stranger = { ...verdict, recipient: '2'.repeat(43), payload: { outcome: word } };
      assert.equal((await send(nora, stranger)).status, 400);
    }
  });

  /** A delivered deal of which nora is the notary. */
  async function judged(): Promise<string> {
    const offer = { recipient: bob.id, amount_usdc: '1', message: 'x', notary: nora.id, escrow: false };
    const { conversation_id } = taken(await alice.post('/negotiate/propose', offer));
    await bob.dealWhen(conversation_id, 'proposed');
    taken(await bob.post('/negotiate/accept', { conversation_id }));
    await alice.dealWhen(conversation_id, 'accepted');
    taken(await alice.post('/notarize/assign', { conversation_id }));
    await newest(nora, conversation_id, 'NOTARIZE_ASSIGN');
    taken(await bob.post('/deliver', { conversation_id, content: 'x' }));
    await alice.dealWhen(conversation_id, 'delivered');
    return conversation_id;
  }

  it('capability proofs with empty hashes are proofs without them, over HTTP and on the mesh', async () => {
    const proof = { capability: 'translate', proof_type: 'benchmark', input_hash: '', output_hash: '', signature: '' };
    const payload = { capabilities: ['translate'], capability_proofs: [proof] };
    const sent = taken(await send(alice, { msg_type: 'ADVERTISE', payload_b64: base64(JSON.stringify(payload)) }));
    const frame = await newest(bob, sent.conversation_id, 'ADVERTISE');
    assert.deepEqual(
      JSON.parse(Buffer.from(frame.payload_b64, 'base64').toString()),
      payload,
      'the bytes as they came',
    );
    assert.deepEqual(frame.payload.capability_proofs, [{ capability: 'translate', proof_type: 'benchmark' }]);
  });

  it('a NOTARIZE_ASSIGN that begins as JSON must be JSON', async () => {
    const conversation_id = await accepted(alice, bob);
    const assign = { msg_type: 'NOTARIZE_ASSIGN', recipient: bob.id, conversation_id };
    const json = (value: unknown) => send(alice, { ...assign, payload_b64: base64(JSON.stringify(value)) });
    const { body } = await json({ notary: bob.id, note: 'these are the first 32 bytes of no key' });
    assert.deepEqual([body.status, body.fields[0].pointer], [400, '/payload_b64/verifier']);
    const broken = await send(alice, { ...assign, payload_b64: base64(`{"verifier":"${bob.id}", and more of it`) });
    refused(broken, '/payload_b64', /begins as JSON and is none/);
    taken(await json({ verifier: bob.id, opaque_b64: '' }));
    assert.equal((await newest(bob, conversation_id, 'NOTARIZE_ASSIGN')).payload.verifier, bob.id);
  });
});
