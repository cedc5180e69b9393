import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Log } from '../../core/log.ts';
import { accepted, delivered, proposed } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { watch } from '../support/sockets.ts';
import { hasMembers } from './support/words.ts';

const ZEROS = '0'.repeat(64);
const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64');

/** Everything that is logged, at every level, as text. */
function keptLines(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const say = (...parts: unknown[]) => void lines.push(inspect(parts, { depth: 6, showHidden: true }));
  const log: Log = { debug: say, info: say, warn: say, error: say, child: () => log };
  return { log, lines };
}

/** What existing clients send and read, beside the words of the specification. */
describe('the node, as existing clients use it', function () {
  this.timeout(60_000);
  const { log, lines } = keptLines();
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], log });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  function taken(answer: Answer): any {
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  }
  function refused(answer: Answer, pointer: string, message: RegExp): void {
    assert.deepEqual([answer.status, answer.body.fields?.[0]?.pointer], [400, pointer], JSON.stringify(answer.body));
    assert.match(answer.body.fields[0].message, message);
  }
  const send = (from: Member, body: object) => from.post('/envelopes/send', body);
  const newest = (of: Member, conversation: string, type: string) =>
    happens(`${type} at ${of.name}`, async () => {
      const { frames } = await of.client.inboxPage({ conversation_id: conversation, limit: 200 });
      return frames.findLast(({ msg_type }) => msg_type === type) as any;
    });

  describe('the secret in the address', () => {
    it('opens /ws/inbox and /ws/events, and is written to no log', async () => {
      for (const path of ['/ws/inbox', '/ws/events']) {
        const right = watch(`${alice.url}${path}?token=${alice.secret}`);
        await new Promise((open) => right.socket.once('open', open));
        right.socket.close();
        await right.closed;
        const wrong = `${alice.secret.slice(0, -2)}xx`;
        const { status, body } = await watch(`${alice.url}${path}?token=${wrong}`).refused;
        assert.deepEqual([status, body.code], [401, 'unauthorized']);
        assert.ok(!JSON.stringify(body).includes(wrong));
      }
      assert.ok(lines.length > 0);
      assert.deepEqual(
        lines.filter((line) => line.includes(alice.secret.slice(0, -2))),
        [],
      );
    });

    it('opens no other route', async () => {
      const { status } = await fetch(`${alice.url}/inbox/ack?token=${alice.secret}`, { method: 'POST' });
      assert.equal(status, 401);
    });
  });

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

  it('null is absent, in every optional member', async () => {
    const offer = { recipient: bob.id, conversation_id: null, amount_usdc: null, amount_usdc_micro: 1, message: 'x' };
    const terms = { max_rounds: null, expires_at: null, notary: null, bond_usdc: null, escrow: null, sealed: null };
    const { conversation_id } = taken(await alice.post('/negotiate/propose', { ...offer, ...terms }));
    await bob.dealWhen(conversation_id, 'proposed');
    const counter = { conversation_id, amount_usdc_micro: 2, round: 1, max_rounds: null, message: null };
    taken(await bob.post('/negotiate/counter', { ...counter, recipient: null, deadline_secs: null }));
    await alice.dealWhen(conversation_id, 'countered');
    taken(await alice.post('/negotiate/accept', { conversation_id, message: null, amount_usdc: null }));
  });

  it('a proposal without an amount is one of 0', async () => {
    const { deal } = taken(await alice.post('/negotiate/propose', { recipient: bob.id, message: 'For nothing.' }));
    assert.deepEqual([deal.amount_usdc, deal.amount_usdc_micro, deal.escrow.agreed], ['0', 0, false]);
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

  it('a BROADCAST may be JSON in payload_b64', async () => {
    const json = { topic: 'news', title: 'Morning', tags: ['daily'], format: 'text', content_b64: base64('Hello.') };
    const sent = taken(
      await send(alice, { msg_type: 'BROADCAST', recipient: null, payload_b64: base64(JSON.stringify(json)) }),
    );
    assert.equal((await alice.client.trace(sent.envelope_id)).msg_type, 'BROADCAST');
  });

  it('members and parameters that nobody knows are ignored, and named in the answer', async () => {
    const body = {
      recipient: bob.id,
      message: 'x',
      token_mint: 'x',
      capabilities: [],
      notary_fee: 1,
      timeout_slots: 9,
    };
    const { ignored } = taken(await alice.post('/negotiate/propose?verbose=1', body));
    assert.deepEqual(ignored, ['verbose', 'token_mint', 'capabilities', 'notary_fee', 'timeout_slots']);
    const payload = { capabilities: ['x'], services: [1] };
    assert.deepEqual(taken(await send(alice, { msg_type: 'ADVERTISE', payload })).ignored, ['payload/services']);
    assert.deepEqual((await alice.get('/identity?x=1')).body.ignored, ['x']);
    const watched = alice.watch('/ws/inbox?client=phone&since=0');
    await new Promise((open) => watched.socket.once('open', open));
    watched.socket.close();
    refused(
      await alice.post('/negotiate/propose', { recipient: bob.id, message: 'x', amount: 5 }),
      '/amount',
      /did you mean/,
    );
    const misspelt = { msg_type: 'PROPOSE', recipient: bob.id, payload: { message: 'x', amount_usd_micro: 5 } };
    refused(await send(alice, misspelt), '/payload/amount_usd_micro', /did you mean amount_usdc_micro/);
  });

  it('an inbox frame has `feedback`, `deliver` and `notarize_bid`', async () => {
    const conversation_id = await delivered(bob, alice);
    taken(await bob.post('/feedback', { conversation_id, score: 7 }));
    const deliver = await newest(bob, conversation_id, 'DELIVER');
    hasMembers(deliver.deliver, { conversation_id: [conversation_id], content_type: 'string', inline_b64: 'string' });
    const feedback = await newest(alice, conversation_id, 'FEEDBACK');
    hasMembers(feedback.feedback, { score: [7], outcome: [2], outcome_name: ['positive'], is_dispute: [false] });
    taken(await bob.post('/notarize/bid', { conversation_id, kind: 'offer', note: 'me' }));
    const bid = await newest(alice, conversation_id, 'NOTARIZE_BID');
    assert.deepEqual(bid.notarize_bid, { bid_type: 1, conversation_id, opaque_b64: base64('me') });
    for (const frame of [deliver, feedback, bid]) {
      assert.equal(['feedback', 'deliver', 'notarize_bid'].filter((name) => name in frame).length, 1);
    }
  });

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

  it('a conversation id may be a UUID, everywhere', async () => {
    const uuid = 'A1B2C3D4-0000-4000-8000-00000000000F';
    const plain = uuid.replaceAll('-', '').toLowerCase();
    const offer = { recipient: bob.id, conversation_id: uuid, message: 'x', amount_usdc: '1' };
    assert.equal(taken(await alice.post('/negotiate/propose', offer)).conversation_id, plain);
    await bob.dealWhen(plain, 'proposed');
    assert.equal((await bob.get(`/deals/${uuid}`)).body.conversation_id, plain);
    assert.equal((await bob.get(`/inbox?conversation_id=${uuid}`)).body.frames.length, 1);
    taken(await bob.post('/negotiate/accept', { conversation_id: uuid }));
    await alice.dealWhen(plain, 'accepted');
    const payload = { conversation_id: uuid, inline_b64: base64('x') };
    taken(await send(bob, { msg_type: 'DELIVER', recipient: alice.id, payload }));
    await alice.dealWhen(plain, 'delivered');
    taken(await alice.post('/feedback', { conversationId: uuid, score: 1 }));
  });

  it('ids are hex on request, in answers and frames', async () => {
    const { agent_id_hex } = await alice.client.identity();
    assert.equal((await alice.get('/identity?ids=hex')).body.agent_id, agent_id_hex);
    const conversation_id = await proposed(alice, bob);
    const deal = (await bob.get(`/deals/${conversation_id}?ids=hex`)).body;
    assert.deepEqual([deal.requester, deal.counterparty, deal.history[0].by], Array(3).fill(agent_id_hex));
    const peers = (await bob.call('GET', '/peers', undefined, { accept: 'application/json; ids=hex' })).body;
    assert.ok(peers.some(({ agent_id }: any) => agent_id === agent_id_hex));
    const watched = bob.watch(`/ws/inbox?unacked=1&ids=hex&conversation_id=${conversation_id}`);
    await watched.until(1);
    watched.socket.close();
    assert.equal(watched.frames[0].sender, agent_id_hex);
    const offer = { recipient: agent_id_hex, message: 'to hex', amount_usdc: '1' };
    taken(await bob.post('/negotiate/propose', offer));
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
