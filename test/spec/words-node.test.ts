import assert from 'node:assert/strict';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { hasMembers } from './support/words.ts';

/** One test a row of the specification's table of the node, by its own paths, names and values. */
describe('the rows of the node-local API', function () {
  this.timeout(60_000);
  let mesh: Mesh<'one' | 'two'>;
  let one: Member;
  let two: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['one', 'two'], usdc: { one: '100' } });
    ({ one, two } = mesh.nodes);
  });
  after(() => mesh.stop());

  async function ask(method: string, path: string, body?: object): Promise<any> {
    const answer = await one.call(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  const propose = (message = 'Count the words.') =>
    ask('POST', '/negotiate/propose', { recipient: two.id, amount_usdc_micro: 1_500_000, message });

  /** A deal that two has accepted. */
  async function agreed(): Promise<string> {
    const { conversation_id } = await propose();
    await two.dealWhen(conversation_id, 'proposed');
    const accept = { recipient: one.id, conversation_id, amount_usdc_micro: 1_500_000 };
    assert.equal((await two.post('/negotiate/accept', accept)).status, 200);
    await one.dealWhen(conversation_id, 'accepted');
    return conversation_id;
  }

  it('GET /identity', async () => {
    const identity = await ask('GET', '/identity');
    hasMembers(identity, { agent_id: 'base58', name: ['one'] });
    // The hot wallet is the ledger account of the identity's key.
    assert.equal(identity.address, identity.agent_id);
  });

  it('GET /peers, in pages', async () => {
    const every = await ask('GET', '/peers');
    assert.ok(every.length > 1);
    const ids = (rows: any) => rows.map(({ agent_id }: any) => agent_id);
    assert.deepEqual(ids(await ask('GET', '/peers?limit=1')), ids(every.slice(0, 1)));
    assert.deepEqual(ids(await ask('GET', '/peers?limit=1&offset=1')), ids(every.slice(1, 2)));
    assert.deepEqual(await ask('GET', `/peers?offset=${every.length}`), []);
  });

  it('GET /peers', async () => {
    const peers = await ask('GET', '/peers');
    assert.ok(Array.isArray(peers));
    const peer = peers.find(({ agent_id }: any) => agent_id === two.id);
    hasMembers(peer, { agent_id: 'base58', lease_status: 'string', last_active_epoch: 'integer' });
  });

  it('GET /batch/:agent_id/:epoch', async () => {
    await propose();
    const { epoch } = await ask('GET', '/identity');
    const batch = await ask('GET', `/batch/${one.id}/${epoch}`);
    hasMembers(batch, { agent_id: [one.id], epoch: [epoch], message_count: 'integer' });
    assert.ok(batch.message_count > 0);
  });

  it('WS /ws/events', async () => {
    const watched = one.watch('/ws/events');
    await new Promise((open) => watched.socket.once('open', open));
    await propose();
    await happens('an event of kind envelope', async () => watched.frames.find(({ type }) => type === 'envelope'));
    watched.socket.close();
    for (const event of watched.frames) {
      hasMembers(event, { type: 'string', at: 'time', data: 'object' });
      assert.equal(event.event_type, event.type);
    }
  });

  it('POST /envelopes/send', async () => {
    const sent = await ask('POST', '/envelopes/send', {
      msgType: 'PROPOSE',
      recipient: two.id,
      conversationId: '0102030405060708090a0b0c0d0e0f10',
      payload: { amount_usdc_micro: 1, message: 'Hello.' },
    });
    hasMembers(sent, {
      conversation_id: ['0102030405060708090a0b0c0d0e0f10'],
      nonce: 'integer',
      payload_hash: 'string',
    });
    const refused = await one.call(
      'POST',
      '/envelopes/send',
      { msgType: 'PROPOSE' },
      { authorization: 'Bearer wrong' },
    );
    assert.equal(refused.status, 401, 'mutating endpoints ask for the api secret');
  });

  it('WS /ws/inbox', async () => {
    const watched = two.watch('/ws/inbox');
    await watched.until(1);
    const { conversation_id } = await propose('For the inbox.');
    await watched.until(2);
    watched.socket.close();
    hasMembers(watched.frames[1], {
      msg_type: ['PROPOSE'],
      sender: [one.id],
      recipient: [two.id],
      conversation_id: [conversation_id],
      slot: 'integer',
      nonce: 'integer',
      payload_b64: 'string',
    });
  });

  it('POST /negotiate/propose', async () => {
    hasMembers(await propose(), { conversation_id: 'string', nonce: 'integer', payload_hash: 'string' });
  });

  it('POST /negotiate/propose: dispute_bps is shown to both sides before ACCEPT, and is the one on the ledger', async () => {
    const offer = { recipient: two.id, amount_usdc_micro: 1_500_000, message: 'Count.', dispute_bps: 3_000 };
    const { conversation_id, deal } = await ask('POST', '/negotiate/propose', offer);
    const seen = await two.dealWhen(conversation_id, 'proposed');
    assert.deepEqual([deal.dispute_bps, seen.dispute_bps], [3_000, 3_000]);
    assert.match(JSON.stringify(seen.risk), /0\.45/, 'the provider is told the least it gets');
    const accept = { recipient: one.id, conversation_id, amount_usdc_micro: 1_500_000 };
    assert.equal((await two.post('/negotiate/accept', accept)).status, 200);
    await one.dealWhen(conversation_id, 'accepted');
    await ask('POST', '/escrow/lock', { provider: two.id, conversation_id, amount_usdc_micro: 1_500_000 });
    assert.equal((await ask('GET', `/escrow/${conversation_id}`)).dispute_bps, 3_000);
  });

  it('POST /negotiate/counter', async () => {
    const { conversation_id } = await propose();
    await two.dealWhen(conversation_id, 'proposed');
    const counter = { recipient: one.id, conversation_id, amount_usdc_micro: 2_000_000, round: 1, max_rounds: 2 };
    const { status, body } = await two.post('/negotiate/counter', counter);
    assert.equal(status, 200, JSON.stringify(body));
    hasMembers(body, { conversation_id: [conversation_id], nonce: 'integer', payload_hash: 'string' });
    assert.equal((await one.dealWhen(conversation_id, 'countered')).amount_usdc_micro, 2_000_000);
  });

  it('POST /negotiate/accept', async () => {
    assert.equal((await two.client.deal(await agreed())).state, 'accepted');
  });

  it('POST /escrow/lock', async () => {
    const conversation_id = await agreed();
    const locked = await ask('POST', '/escrow/lock', {
      provider: two.id,
      conversation_id,
      amount_usdc_micro: 1_500_000,
    });
    hasMembers(locked, { ok: [true], signature: 'string' });
  });

  it('POST /escrow/approve', async () => {
    const conversation_id = await agreed();
    await ask('POST', '/escrow/lock', { provider: two.id, conversation_id, amount_usdc_micro: 1_500_000 });
    const before = await usdcOf(two);
    const approved = await ask('POST', '/escrow/approve', { requester: one.id, provider: two.id, conversation_id });
    hasMembers(approved, { ok: [true], signature: 'string' });
    assert.equal((await usdcOf(two)) - before, 1.5, 'the locked payment is released');
  });

  it('GET /portfolio/balances', async () => {
    const { tokens } = await ask('GET', '/portfolio/balances');
    const usdc = tokens.find(({ symbol }: any) => symbol === 'USDC');
    hasMembers(usdc, { mint: 'base58', amount: 'number', decimals: [6] });
    assert.equal(tokens[0].mint, 'So11111111111111111111111111111111111111112');
  });

  async function usdcOf(member: Member): Promise<number> {
    const { body } = await member.get('/portfolio/balances');
    return body.tokens.find(({ symbol }: any) => symbol === 'USDC')?.amount ?? 0;
  }

  it('FEEDBACK: score from -100 to +100, outcome and role', async () => {
    const conversation_id = await agreed();
    await two.client.deliver({ conversation_id, content: 'x' });
    await one.dealWhen(conversation_id, 'delivered');
    const rating = { conversationId: conversation_id, targetAgent: two.id, outcome: 'negative', role: 'participant' };
    for (const score of [-101, 101, 1.5, '80']) {
      const { status, body } = await one.post('/feedback', { ...rating, score });
      assert.deepEqual([status, body.fields[0].pointer], [400, '/score']);
    }
    const wrong = await one.post('/feedback', { ...rating, score: 1, outcome: 'good' });
    assert.deepEqual([wrong.status, wrong.body.fields[0].pointer], [400, '/outcome']);
    assert.match(wrong.body.fields[0].message, /negative, neutral, positive/);
    const { feedback } = await ask('POST', '/feedback', { ...rating, score: -100 });
    hasMembers(feedback, { score: [-100], outcome: [0], outcome_name: ['negative'], role: [0] });
  });

  it('every read says how often it may be asked for, and counts', async () => {
    for (const path of ['/identity', '/peers', '/portfolio/balances', '/deals', '/inbox', '/stake', '/health']) {
      const left = async () => {
        const { headers } = await one.get(path);
        assert.equal(headers.get('ratelimit-policy'), '"default";q=6000;w=60', path);
        return Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
      };
      assert.ok((await left()) < 6_000, path);
    }
  });

  it('WS /ws/inbox, /ws/events: a wrong secret is refused before the upgrade', async () => {
    for (const path of ['/ws/inbox', '/ws/events']) {
      assert.equal((await one.watch(`${path}?token=wrong`).refused).status, 401);
    }
  });
});
