import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Network } from '../../core/internal-services.ts';
import { invalidField, isMeshError } from '../../core/plugin.ts';
import { domainBytes } from '../../core/protocol/identity/domains.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { verify } from '../../core/protocol/identity/verify.ts';
import { type InboxMessage, type LocalAgent, type LocalAgents, Self } from '../../core/services.ts';
import { innkeeper } from '../support/agents.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(isMeshError(error), String(error));
  return `${error.code} ${error.details.fields?.[0]?.pointer ?? ''}`.trim();
}

/** The texts in an agent's inbox, when there are so many. */
function texts(agent: LocalAgent, count: number): Promise<InboxMessage[]> {
  return happens(`${count} letters`, async () => {
    const { messages } = await agent.inbox.page();
    return messages.length >= count ? [...messages] : undefined;
  });
}

describe('the agents of a node', function () {
  this.timeout(60_000);
  let mesh: Mesh<'inn' | 'far'>;
  let inn: Member;
  let far: Member;
  const [here, there] = [innkeeper(), innkeeper()];
  let ann: LocalAgent;
  let ben: LocalAgent;
  let cid: LocalAgent;
  const seed = randomBytes(32);

  before(async () => {
    mesh = await startMesh({ nodes: ['inn', 'far'], plugins: { inn: [here.plugin], far: [there.plugin] } });
    ({ inn, far } = mesh.nodes);
    const add = (agents: LocalAgents, name: string, key = randomBytes(32)) =>
      agents.add({ signer: agents.signerOf(key), name });
    ann = await add(here.got.agents, 'ann', seed);
    ben = await add(here.got.agents, 'ben');
    cid = await add(there.got.agents, 'cid');
  });
  after(() => mesh?.stop());

  it('write to agents of other nodes, and get their answers', async () => {
    const sent = await ann.send('MESSAGE', { text: 'hello' }, { recipient: far.id });
    await happens('it is delivered', async () => (await ann.status(sent.id)) === 'delivered' || undefined);
    const { frames } = await far.client.inboxPage({ conversation_id: sent.conversationId });
    assert.equal(frames[0]?.sender, ann.id);
    const answer = await far.post('/message', {
      recipient: ann.id,
      text: 'hello, ann',
      conversation_id: sent.conversationId,
    });
    assert.equal(answer.status, 200);
    const [letter] = await texts(ann, 1);
    assert.deepEqual(
      [letter?.type, letter?.sender, letter?.conversationId, letter?.payload],
      ['MESSAGE', far.id, sent.conversationId, { text: 'hello, ann' }],
    );
  });

  it('write to hosted agents of other nodes, sealed where they want', async () => {
    await ann.send('MESSAGE', { text: 'under four eyes' }, { recipient: cid.id, sealed: true });
    const [letter] = await texts(cid, 1);
    assert.deepEqual([letter?.sealed, letter?.payload], [true, { text: 'under four eyes' }]);
  });

  it('write to each other and to the agent of their node without the network', async () => {
    const { status } = await ann.send('MESSAGE', { text: 'at the next table' }, { recipient: ben.id });
    assert.equal(status, 'delivered');
    const up = await ben.send('MESSAGE', { text: 'the bill, please' }, { recipient: inn.id });
    assert.equal(up.status, 'delivered');
    const down = await inn.post('/message', { recipient: ben.id, text: 'here it is' });
    assert.equal(down.body.status, 'delivered');
    const letters = await texts(ben, 2);
    assert.deepEqual(
      letters.map(({ sender, payload }) => [sender, payload]),
      [
        [ann.id, { text: 'at the next table' }],
        [inn.id, { text: 'here it is' }],
      ],
    );
  });

  it('agree on a deal, deliver and rate, hosted on both sides', async () => {
    const offer = { recipient: cid.id, message: 'a haiku', amount_usdc: '0' };
    const { conversation_id } = await ann.deals.propose(offer);
    const at = (agent: LocalAgent, state: string) =>
      happens(`it is ${state}`, async () => {
        const deal = await agent.deals.get(conversation_id).catch(() => undefined);
        return deal?.state === state ? deal : undefined;
      });
    const told: string[] = [];
    const end = ann.deals.follow(({ state }) => void told.push(state));
    assert.equal((await at(cid, 'proposed')).role, 'provider');
    await cid.deals.accept({ conversation_id });
    await at(ann, 'accepted');
    await cid.deals.deliver({ conversation_id, content: 'an old silent pond' });
    await happens('it is done', async () => {
      const { allowed_actions } = await ann.deals.get(conversation_id);
      return allowed_actions.includes('feedback') || undefined;
    });
    await ann.deals.feedback({ conversation_id, score: 80 });
    assert.ok(!(await ann.deals.get(conversation_id)).allowed_actions.includes('feedback'));
    assert.ok(told.includes('accepted'), told.join());
    end();
    assert.equal((await inn.get(`/deals/${conversation_id}`)).status, 404);
  });

  it('agree on a deal with the agent of their own node', async () => {
    const { body } = await inn.post('/negotiate/propose', {
      recipient: ben.id,
      message: 'breakfast',
      amount_usdc: '0',
    });
    const { conversation_id } = body;
    await happens('the offer is there', () => ben.deals.get(conversation_id).catch(() => undefined));
    await ben.deals.counter({ conversation_id, amount_usdc: '0', message: 'and coffee' });
    const { deals } = await ben.deals.page();
    assert.deepEqual(
      deals.map(({ state, counterparty }) => [state, counterparty]),
      [['countered', inn.id]],
    );
    assert.equal((await inn.post('/negotiate/accept', { conversation_id })).status, 200);
    await happens(
      'it is accepted',
      async () => (await ben.deals.get(conversation_id)).state === 'accepted' || undefined,
    );
  });

  it('promise no escrow, and are told why', async () => {
    const offer = { recipient: cid.id, message: 'a novel', amount_usdc: '5', escrow: true };
    assert.match(await refusal(ann.deals.propose(offer)), /^invalid_transition/);
    const { conversation_id } = await ann.deals.propose({ ...offer, escrow: false });
    const deal = await happens('the offer is there', () => cid.deals.get(conversation_id).catch(() => undefined));
    assert.ok(deal.allowed_actions.includes('accept'));
    const sent = {
      msg_type: 'PROPOSE',
      recipient: cid.id,
      payload: { amount_usdc_micro: 5, message: '', escrow: true },
    };
    assert.match(await refusal(ann.envelope(sent)), /^invalid_transition/);
  });

  it('send what a request says, as POST /envelopes/send does', async () => {
    const request = { msg_type: 'MESSAGE', recipient: ben.id, payload: { text: 'in words' } };
    const [first, again] = [
      await ann.envelope(request, { operationId: 'a' }),
      await ann.envelope(request, { operationId: 'a' }),
    ];
    assert.equal(first.envelope_id, again.envelope_id);
    assert.equal(first.status, 'delivered');
    assert.match(await refusal(ann.envelope({ msg_type: 'BEACON', payload: {} })), /^invalid_request \/msg_type/);
    assert.match(
      await refusal(ann.send('MESSAGE', { text: 'me' }, { recipient: ann.id })),
      /^invalid_request \/recipient/,
    );
  });

  it('tell the amount of an offer before it is signed, and sign nothing where that is refused', async () => {
    const amounts: bigint[] = [];
    const before = (amount: bigint) => void amounts.push(amount);
    const text = { msg_type: 'MESSAGE', recipient: ben.id, payload: { text: 'for nothing' } };
    await ann.envelope(text, { before });
    const offer = {
      msg_type: 'PROPOSE',
      recipient: cid.id,
      payload: { amount_usdc_micro: 1_500_000, message: 'an ode' },
    };
    const { conversation_id } = await ann.envelope(
      { ...offer, payload: { ...offer.payload, escrow: false } },
      { before },
    );
    await happens('the offer is there', () => cid.deals.get(conversation_id).catch(() => undefined));
    await cid.envelope({ msg_type: 'ACCEPT', recipient: ann.id, conversation_id, payload: {} }, { before });
    assert.deepEqual(amounts, [0n, 1_500_000n, 1_500_000n]);
    const words = Buffer.from(JSON.stringify({ amount_usdc_micro: 7, message: 'in bytes', escrow: false }));
    const { deals: known } = await ann.deals.page();
    const refuse = (amount: bigint) => {
      throw invalidField('/payload', `costs ${amount}`);
    };
    const inBytes = { msg_type: 'PROPOSE', recipient: cid.id, payload_b64: words.toString('base64') };
    await assert.rejects(ann.envelope(inBytes, { before: refuse }), /costs 7/);
    assert.equal((await ann.deals.page()).deals.length, known.length);
  });

  it('give their inbox in the frames of a WebSocket', async () => {
    const { next } = await cid.inbox.page({ limit: 200 });
    const stop = new AbortController();
    const live = cid.inbox.frames({}, stop.signal, ['colour']);
    const { value: opening } = await live.next();
    assert.deepEqual(opening, { type: 'inbox', cursor: next, waiting: next, ignored: ['colour'] });
    const { conversationId } = await ann.send('MESSAGE', { text: 'framed' }, { recipient: cid.id });
    const { value: frame } = await live.next();
    assert.ok(frame && 'msg_type' in frame);
    assert.deepEqual([frame.sender, frame.payload], [ann.id, { text: 'framed' }]);
    stop.abort();
    assert.equal((await live.next()).done, true);
    const { frames } = await cid.inbox.framesPage({ conversation_id: conversationId });
    assert.deepEqual(frames, [frame]);
    await assert.rejects(cid.inbox.framesPage({ since: next + 100 }), /\/since/);
  });

  it('live on a node that signs its heartbeats and tells to which aggregators it reports', async () => {
    const body = Buffer.from('{"node_id":"x"}');
    const signature = here.got.agents.signHeartbeat(body, 1_767_225_600);
    const fields = { body_hash: createHash('sha256').update(body).digest(), time: 1_767_225_600 };
    const signed = domainBytes('heartbeat/1', inn.node.get(Network).id, fields);
    assert.ok(verify(signed, signature, parseAgentId(inn.id)!));
    assert.ok(!verify(signed, here.got.agents.signHeartbeat(body, 1_767_225_601), parseAgentId(inn.id)!));
    assert.deepEqual(inn.node.get(Self).aggregators, [mesh.aggregatorNode.url]);
  });

  it('hand over what no envelope carries: its recipient fetches it from their node', async () => {
    const { body } = await far.post('/negotiate/propose', { recipient: ann.id, message: 'a novel', amount_usdc: '0' });
    const { conversation_id } = body;
    await happens('the offer is there', () => ann.deals.get(conversation_id).catch(() => undefined));
    await ann.deals.accept({ conversation_id });
    const content = 'a long story '.repeat(10_000);
    await ann.deals.deliver({ conversation_id, content });
    await happens('it is fetched', async () => {
      const headers = { authorization: `Bearer ${far.secret}` };
      const answer = await fetch(`${far.url}/deals/${conversation_id}/delivery`, { headers });
      return (answer.status === 200 && (await answer.text()) === content) || undefined;
    });
  });

  it('speak to everybody, the agent of their own node included', async () => {
    await ben.send('ADVERTISE', { capabilities: ['polishing'] });
    for (const member of [inn, far]) {
      await happens('it is heard', async () => {
        const { frames } = await member.client.inboxPage({ limit: 200 });
        return frames.some(({ sender, msg_type }) => sender === ben.id && msg_type === 'ADVERTISE') || undefined;
      });
    }
  });

  it('have their inbox read, followed and acknowledged', async () => {
    const stop = new AbortController();
    const heard: unknown[] = [];
    const reading = (async () => {
      for await (const { payload } of ben.inbox.follow(stop.signal)) heard.push(payload);
    })();
    await ann.send('MESSAGE', { text: 'live' }, { recipient: ben.id });
    await happens('it is heard', async () => heard.length === 1 || undefined);
    stop.abort();
    await reading;
    const { next } = await ben.inbox.page();
    await ben.inbox.acknowledge(next);
    assert.deepEqual((await ben.inbox.page()).messages, []);
  });

  it('are added once, by the plugin that acts for them, with a key that signs', async () => {
    const { agents } = here.got;
    assert.equal(await agents.add({ signer: agents.signerOf(seed) }), ann);
    assert.equal(agents.get(ann.id), ann);
    assert.deepEqual(
      [...agents].map(({ name }) => name),
      ['ann', 'ben'],
    );
    const { key, open } = agents.signerOf(randomBytes(32));
    const { sign } = agents.signerOf(seed);
    assert.equal(await refusal(agents.add({ signer: { key, open, sign } })), 'invalid_request /signer');
    assert.equal(
      await refusal(agents.add({ signer: { key: randomBytes(5), open, sign } })),
      'invalid_request /signer/key',
    );
    assert.equal(await agents.remove(cid.id), false);
  });

  it('are gone when they are removed, and go on where they were when they are added again', async () => {
    const { agents } = here.got;
    const letters = (await ann.inbox.page()).messages.length;
    const reading = ann.inbox.follow(new AbortController().signal).next();
    assert.equal(await agents.remove(ann.id), true);
    assert.equal((await reading).done, true);
    assert.equal(await refusal(ann.inbox.page()), 'not_found');
    const { status } = await ben.send('MESSAGE', { text: 'where are you?' }, { recipient: ann.id });
    assert.notEqual(status, 'delivered');
    ann = await agents.add({ signer: agents.signerOf(seed), name: 'ann' });
    assert.equal((await ann.inbox.page()).messages.length, letters);
    const sent = await ann.send('MESSAGE', { text: 'back again' }, { recipient: ben.id });
    assert.equal(sent.status, 'delivered');
  });
});
