import assert from 'node:assert/strict';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

describe('the life of a deal between two nodes', () => {
  let mesh: Mesh<'alice' | 'bob'>;
  let conversation_id: string;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'] });
  });
  after(() => mesh.stop());

  it('a node says who it is', async () => {
    const { alice } = mesh.nodes;
    const identity = await alice.client.identity();
    assert.equal(identity.name, 'alice');
    assert.equal(identity.address, identity.agent_id);
    assert.match(identity.agent_id_hex, /^[0-9a-f]{64}$/);
    assert.equal(identity.network_id, 'mesh-tests');
    assert.equal(identity.envelope_version, 2);
  });

  it('nodes hear of each other through the aggregator, which is a connected hub', async () => {
    const { alice, bob } = mesh.nodes;
    const peers = await happens('alice lists bob', async () => {
      const found = await alice.client.peers();
      return found.some(({ agent_id }) => agent_id === bob.id) ? found : undefined;
    });
    const hub = peers.find((peer) => peer.hub);
    assert.deepEqual([hub?.connected, hub?.name], [true, 'aggregator']);
    const heard = peers.find(({ agent_id }) => agent_id === bob.id)!;
    assert.equal(heard.name, 'bob');
    assert.equal(heard.url, `${bob.url.replace('http', 'ws')}/mesh`);
    assert.equal(heard.lease_status, 'none');
  });

  it('a proposal is delivered and opens the same deal on both sides', async () => {
    const { alice, bob } = mesh.nodes;
    const events = bob.watch('/ws/events');
    await new Promise((open) => events.socket.on('open', open));
    const sent = await alice.client.propose({ recipient: bob.id, amount_usdc: '1.5', message: 'Count the words.' });
    conversation_id = sent.conversation_id;
    assert.equal(sent.status, 'delivered');
    assert.deepEqual([sent.deal.role, sent.deal.state, sent.deal.amount_usdc], ['requester', 'proposed', '1.5']);
    assert.deepEqual(sent.deal.allowed_actions, ['reject']);

    const theirs = await bob.client.deal(conversation_id);
    assert.deepEqual([theirs.role, theirs.state, theirs.counterparty], ['provider', 'proposed', alice.id]);
    assert.deepEqual(theirs.allowed_actions, ['accept', 'counter', 'reject']);
    assert.equal(theirs.message, 'Count the words.');
    assert.deepEqual(theirs.history, sent.deal.history);

    await events.until(2);
    const told = events.frames.filter(({ type }) => type !== 'peer').slice(0, 2);
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.msg_type ?? data.state, data.conversation_id]),
      [
        ['envelope', 'PROPOSE', conversation_id],
        ['deal', 'proposed', conversation_id],
      ],
    );
    events.socket.close();
  });

  it('an envelope can be followed on its way from both ends', async () => {
    const { alice, bob } = mesh.nodes;
    const { envelope_id } = (await alice.client.deal(conversation_id)).history[0]!;
    const out = await alice.client.trace(envelope_id!);
    assert.deepEqual([out.direction, out.msg_type, out.status, out.recipient], ['out', 'PROPOSE', 'delivered', bob.id]);
    assert.deepEqual(
      out.hops.map(({ event, detail }) => [event, detail]),
      [
        ['journaled', undefined],
        ['acknowledged', 'accepted'],
      ],
    );
    const incoming = await bob.client.trace(envelope_id!);
    assert.deepEqual([incoming.direction, incoming.status, incoming.sender], ['in', 'received', alice.id]);
  });

  it('a counter changes the offer, whatever the case of the conversation id', async () => {
    const { alice, bob } = mesh.nodes;
    const upper = conversation_id.toUpperCase();
    const { deal } = await bob.client.counter({ conversation_id: upper, amount_usdc_micro: 2_000_000, round: 1 });
    assert.deepEqual([deal.state, deal.amount_usdc, deal.amount_usdc_micro], ['countered', '2', 2_000_000]);
    const theirs = await alice.dealWhen(conversation_id, 'countered');
    assert.deepEqual(theirs.allowed_actions, ['accept', 'counter', 'reject']);
  });

  it('what is accepted is the offer on the table', async () => {
    const { alice, bob } = mesh.nodes;
    const other = await alice.post('/negotiate/accept', { conversation_id, amount_usdc: '1.5' });
    assert.deepEqual([other.status, other.body.fields[0].pointer], [400, '/amount_usdc']);
    const { deal } = await alice.client.accept({ conversation_id: conversation_id.toUpperCase(), amount_usdc: '2' });
    assert.equal(deal.state, 'accepted');
    assert.ok(deal.deadline);
    assert.deepEqual((await bob.dealWhen(conversation_id, 'accepted')).allowed_actions, ['deliver']);
  });

  it('a delivery reaches the requester with its content', async () => {
    const { alice, bob } = mesh.nodes;
    const inbox = alice.watch(`/ws/inbox?unacked=1&conversation_id=${conversation_id}&msg_type=deliver`);
    const { deal } = await bob.client.deliver({ conversation_id, content: '3 words', content_type: 'text/plain' });
    assert.deepEqual([deal.state, deal.allowed_actions], ['delivered', ['feedback']]);
    await inbox.until(1);
    inbox.socket.close();
    const [frame] = inbox.frames;
    assert.equal(Buffer.from(frame.payload_b64, 'base64').toString(), '3 words');
    assert.deepEqual([frame.sender, frame.recipient, frame.payload.content_type], [bob.id, alice.id, 'text/plain']);
    const mine = await alice.dealWhen(conversation_id, 'delivered');
    assert.deepEqual(mine.allowed_actions, ['dispute', 'feedback']);
    assert.deepEqual(mine.unavailable_actions, [
      { action: 'pay', reason: 'This node has no ledger: start it with --rpc-url.' },
    ]);
  });

  it('each side rates the other once', async () => {
    const { alice, bob } = mesh.nodes;
    await alice.client.feedback({ conversation_id, score: 80 });
    await bob.client.feedback({ conversation_id, score: -10, outcome: 'negative' });
    const again = await alice.post('/feedback', { conversation_id, score: 70 });
    assert.deepEqual([again.status, again.body.code], [409, 'invalid_transition']);
    assert.ok(!again.body.allowed_actions.includes('feedback'));
    assert.ok(!(await alice.client.deal(conversation_id)).allowed_actions.includes('feedback'));
  });

  it('the aggregator learns of the deal from both and counts the ratings', async () => {
    const { alice, bob } = mesh.nodes;
    const activity = await happens('both ratings count', async () => {
      const found = await mesh.aggregator.activity();
      return found.filter(({ event_type }) => event_type === 'FEEDBACK').length === 2 ? found : undefined;
    });
    const kinds = activity.filter((event: any) => event.conversation_id === conversation_id);
    assert.deepEqual(kinds.map(({ event_type }) => event_type).sort(), ['ACCEPT', 'DELIVER', 'FEEDBACK', 'FEEDBACK']);
    // Scores follow with the next run of their job.
    await happens(
      'the score of who worked',
      async () => (await mesh.aggregator.reputation(bob.id))!.score > 0 || undefined,
    );
    assert.equal((await mesh.aggregator.reputation(alice.id))!.recent_scores[0], -10);
  });
});
