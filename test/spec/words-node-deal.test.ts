import assert from 'node:assert/strict';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { hasMembers } from './support/words.ts';

/** Every request here is written as the specification writes it: its paths, names and values, nobody's client. */
describe('a deal driven by hand in the words of the specification', function () {
  this.timeout(60_000);
  let mesh: Mesh<'requester' | 'provider'>;
  let requester: Member;
  let provider: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['requester', 'provider'], usdc: { requester: '100' } });
    ({ requester, provider } = mesh.nodes);
  });
  after(() => mesh.stop());

  async function good(from: Member, path: string, body: object): Promise<any> {
    const answer = await from.post(path, body);
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Frames of a stream that begins now. */
  async function listening(to: Member, path: string): Promise<any[]> {
    const watched = to.watch(`${path}?token=${to.secret}`);
    if (path === '/ws/inbox') await watched.until(1);
    else await new Promise((open) => watched.socket.once('open', open));
    return watched.frames;
  }
  const inbound = (frames: any[], type: string) =>
    happens(`${type} in the inbox`, async () => frames.find(({ msg_type }) => msg_type === type));

  async function activity(type: string, agent: Member): Promise<any> {
    return happens(`${type} in the activity`, async () => {
      const response = await fetch(`${mesh.aggregatorNode.url}/activity?limit=50`);
      const events = (await response.json()) as any[];
      return events.find((event) => event.event_type === type && event.agent_id === agent.id);
    });
  }

  it('runs from PROPOSE to FEEDBACK over the routes of negotiation and escrow', async () => {
    const [atProvider, atRequester] = [await listening(provider, '/ws/inbox'), await listening(requester, '/ws/inbox')];
    const offer = { recipient: provider.id, amount_usdc_micro: 1_500_000, message: 'Count the words.' };
    const proposed = await good(requester, '/negotiate/propose', { conversation_id: null, max_rounds: 2, ...offer });
    hasMembers(proposed, { conversation_id: 'string', nonce: 'integer', payload_hash: 'string' });
    const { conversation_id } = proposed;
    assert.equal((await inbound(atProvider, 'PROPOSE')).sender, requester.id);

    const counter = { recipient: requester.id, conversation_id, amount_usdc_micro: 2_000_000, round: 1 };
    await good(provider, '/negotiate/counter', { ...counter, max_rounds: null, message: null });
    await inbound(atRequester, 'COUNTER');
    const accept = { recipient: provider.id, conversation_id, amount_usdc_micro: 2_000_000, message: null };
    const accepted = await good(requester, '/negotiate/accept', accept);
    hasMembers(accepted, { conversation_id: [conversation_id], nonce: 'integer', payload_hash: 'string' });
    await inbound(atProvider, 'ACCEPT');

    const lock = { provider: provider.id, conversation_id, amount_usdc_micro: 2_000_000 };
    await good(requester, '/escrow/lock', { ...lock, notary: null, notary_fee: 200_000, timeout_slots: 1_000 });
    await provider.dealWhen(conversation_id, ({ escrow }) => escrow.locked_at !== undefined);

    const content = Buffer.from('{"words":3}').toString('base64');
    await good(provider, '/envelopes/send', {
      msgType: 'DELIVER',
      recipient: requester.id,
      conversationId: conversation_id,
      payload_b64: content,
    });
    const delivery = await inbound(atRequester, 'DELIVER');
    assert.equal(delivery.payload_b64, content);
    hasMembers(delivery.deliver, { conversation_id: [conversation_id], inline_b64: [content] });

    const approval = { requester: requester.id, provider: provider.id, conversation_id };
    await good(requester, '/escrow/approve', approval);
    await requester.dealWhen(conversation_id, 'settled');
    await provider.dealWhen(conversation_id, 'settled');

    const rated = await good(requester, '/envelopes/send', {
      msgType: 'FEEDBACK',
      recipient: provider.id,
      conversationId: conversation_id,
      payload: { score: 80, outcome: 'positive', role: 'participant' },
    });
    hasMembers(rated.feedback, { target_agent: [provider.id], score: [80], outcome: [2], outcome_name: ['positive'] });
    await good(provider, '/feedback', {
      conversationId: conversation_id,
      targetAgent: requester.id,
      score: 90,
      outcome: 'positive',
      role: 'participant',
    });
    const heard = await inbound(atProvider, 'FEEDBACK');
    hasMembers(heard.feedback, {
      score: [80],
      outcome: [2],
      outcome_name: ['positive'],
      is_dispute: [false],
      role: [0],
    });

    const event = await activity('FEEDBACK', requester);
    hasMembers(event, {
      id: 'integer',
      event_type: ['FEEDBACK'],
      agent_id: [requester.id],
      target_agent_id: [provider.id],
      score: [80],
      outcome: ['positive'],
      slot: 'integer',
      created_at: 'time',
    });
  });

  it('runs as well when every step is an envelope', async () => {
    const conversationId = '8f14e45f-ceea-467f-a8f5-0d2a9d1b3c4d';
    const conversation = conversationId.replaceAll('-', '');
    const send = (from: Member, to: Member, msgType: string, payload: object) =>
      good(from, '/envelopes/send', { msgType, recipient: to.id, conversationId, payload });
    await send(requester, provider, 'PROPOSE', { message: 'Say hello.' });
    await provider.dealWhen(conversation, 'proposed');
    await send(provider, requester, 'ACCEPT', {});
    await requester.dealWhen(conversation, 'accepted');
    await good(provider, '/envelopes/send', {
      msgType: 'DELIVER',
      recipient: requester.id,
      conversationId,
      payload_b64: Buffer.from('Hello.').toString('base64'),
    });
    const { state } = await requester.dealWhen(conversation, (deal) => ['delivered', 'settled'].includes(deal.state));
    assert.match(state, /delivered|settled/);
    await send(requester, provider, 'FEEDBACK', { score: -100, outcome: 'negative', role: 'participant' });
    await send(provider, requester, 'FEEDBACK', { score: 0, outcome: 'neutral', role: 'participant' });
    const found = await happens('both ratings of it', async () => {
      const response = await fetch(`${mesh.aggregatorNode.url}/interactions?limit=50`);
      const list = ((await response.json()) as any[]).filter((one) => one.conversation_id === conversation);
      return list.length === 2 ? list : undefined;
    });
    assert.deepEqual(found.map(({ score }) => score).sort(), [-100, 0]);
  });
});
