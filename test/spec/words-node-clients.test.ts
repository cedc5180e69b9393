import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Log } from '../../core/platform/log.ts';
import { delivered, proposed } from '../support/deals.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { watch } from '../support/sockets.ts';
import { base64, newest, refused, send, taken } from './support/calls.ts';
import { hasMembers } from './support/words.ts';

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

  it('the log names agents by their base58 ids, and nowhere in hex', async () => {
    const { agent_id_hex } = await alice.client.identity();
    assert.ok(lines.some((line) => line.includes(alice.id) || line.includes(bob.id)));
    assert.deepEqual(
      lines.filter((line) => line.includes(agent_id_hex)),
      [],
    );
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
});
