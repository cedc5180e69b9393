import assert from 'node:assert/strict';
import { accepted, delivered, proposed } from '../support/deals.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

const NOBODY = 'BpxV484WjLKCV1k9TPTwNnrTkxjhYuRkt3eVbjY3HPqU';

describe('what a deal does not allow', () => {
  let mesh: Mesh<'alice' | 'bob' | 'carol'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob', 'carol'] });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  const STATES = {
    proposed: () => proposed(alice, bob),
    countered: async () => {
      const conversation_id = await proposed(alice, bob, { max_rounds: 1 });
      await bob.client.counter({ conversation_id, amount_usdc: '2' });
      await alice.dealWhen(conversation_id, 'countered');
      return conversation_id;
    },
    accepted: () => accepted(alice, bob),
    delivered: () => delivered(alice, bob),
    settled: () => delivered(alice, bob, { amount_usdc: '0' }),
    rejected: async () => {
      const conversation_id = await proposed(alice, bob);
      await bob.client.reject({ conversation_id, reason: 'No time.' });
      await alice.dealWhen(conversation_id, 'rejected');
      return conversation_id;
    },
  };
  type Step = [who: 'alice' | 'bob', path: string, body?: object];
  const price = { amount_usdc: '9' };
  const work = { content: 'x' };
  const rating = { score: 1 };
  const ILLEGAL: Record<keyof typeof STATES, Step[]> = {
    proposed: [
      ['alice', '/negotiate/accept'],
      ['alice', '/negotiate/counter', price],
      ['alice', '/deliver', work],
      ['bob', '/deliver', work],
      ['bob', '/feedback', rating],
    ],
    countered: [
      ['bob', '/negotiate/accept'],
      ['bob', '/negotiate/counter', price],
      ['alice', '/deliver', work],
    ],
    accepted: [
      ['alice', '/negotiate/accept'],
      ['bob', '/negotiate/accept'],
      ['alice', '/negotiate/reject'],
      ['bob', '/negotiate/reject'],
      ['bob', '/negotiate/counter', price],
      ['alice', '/deliver', work],
      ['alice', '/feedback', rating],
    ],
    delivered: [
      ['bob', '/deliver', work],
      ['bob', '/negotiate/reject'],
      ['alice', '/negotiate/accept'],
    ],
    settled: [
      ['bob', '/deliver', work],
      ['alice', '/negotiate/counter', price],
    ],
    rejected: [
      ['alice', '/negotiate/accept'],
      ['alice', '/negotiate/reject'],
      ['bob', '/negotiate/accept'],
      ['bob', '/negotiate/counter', price],
      ['bob', '/deliver', work],
      ['bob', '/feedback', rating],
    ],
  };

  for (const [state, steps] of Object.entries(ILLEGAL) as [keyof typeof STATES, Step[]][]) {
    it(`a ${state} deal refuses ${steps.length} steps, says what is allowed, and does not change`, async () => {
      const conversation_id = await STATES[state]();
      const look = () => Promise.all([alice.client.deal(conversation_id), bob.client.deal(conversation_id)]);
      const before = await look();
      assert.deepEqual(
        before.map((deal) => deal.state),
        [state, state],
      );
      for (const [who, path, body] of steps) {
        const answer = await mesh.nodes[who].post(path, { conversation_id, ...body });
        assert.deepEqual([answer.status, answer.body.code], [409, 'invalid_transition'], `${who} ${path}`);
        const { allowed_actions } = before[who === 'alice' ? 0 : 1]!;
        assert.deepEqual(answer.body.allowed_actions, allowed_actions, `${who} ${path}`);
        assert.ok(answer.body.detail.length > 10);
      }
      assert.deepEqual(await look(), before);
    });
  }

  it('an own offer can be withdrawn', async () => {
    const conversation_id = await proposed(alice, bob);
    const { deal } = await alice.client.reject({ conversation_id });
    assert.deepEqual([deal.state, deal.reason], ['rejected', 'withdrawn']);
    assert.equal((await bob.dealWhen(conversation_id, 'rejected')).reason, 'withdrawn');
  });

  it('a conversation has one deal', async () => {
    const conversation_id = await proposed(alice, bob);
    const again = { recipient: bob.id, conversation_id, amount_usdc: '3', message: 'Again.' };
    const answer = await alice.post('/negotiate/propose', again);
    assert.deepEqual([answer.status, answer.body.code], [409, 'invalid_transition']);
    assert.deepEqual(answer.body.allowed_actions, ['reject']);
  });

  it('a counter over the agreed rounds is refused', async () => {
    const conversation_id = await proposed(alice, bob, { max_rounds: 1 });
    await bob.client.counter({ conversation_id, amount_usdc: '2' });
    await alice.dealWhen(conversation_id, 'countered');
    await alice.client.counter({ conversation_id, amount_usdc: '1.75' });
    const theirs = await bob.dealWhen(conversation_id, ({ amount_usdc }) => amount_usdc === '1.75');
    assert.deepEqual(theirs.allowed_actions, ['accept', 'reject']);
    const answer = await bob.post('/negotiate/counter', { conversation_id, amount_usdc: '1.8' });
    assert.deepEqual([answer.status, answer.body.allowed_actions], [409, ['accept', 'reject']]);
  });

  it('a wrong round is refused with its field', async () => {
    const conversation_id = await proposed(alice, bob);
    const answer = await bob.post('/negotiate/counter', { conversation_id, amount_usdc: '2', round: 2 });
    assert.deepEqual([answer.status, answer.body.fields[0].pointer], [400, '/round']);
  });

  it('nobody else has a say in a deal', async () => {
    const conversation_id = await proposed(alice, bob);
    const { carol } = mesh.nodes;
    for (const path of ['/negotiate/accept', '/negotiate/reject', '/deliver', '/feedback']) {
      const body = { conversation_id, ...(path === '/deliver' && work), ...(path === '/feedback' && rating) };
      const answer = await carol.post(path, body);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], path);
    }
    assert.equal((await carol.get(`/deals/${conversation_id}`)).status, 404);
    const foreign = await carol.client.propose({
      recipient: bob.id,
      conversation_id,
      amount_usdc: '1',
      message: 'Me!',
    });
    assert.equal(foreign.status, 'refused');
    assert.equal((await carol.client.trace(foreign.envelope_id)).status, 'refused');
    assert.equal((await bob.client.deal(conversation_id)).counterparty, alice.id);
  });

  describe('sent as a plain envelope', () => {
    it('a step takes the same way', async () => {
      const conversation_id = await proposed(alice, bob);
      const offer_id = (await bob.client.deal(conversation_id)).history[0]!.envelope_id!;
      const payload = { amount_usdc_micro: 1_500_000, offer_id };
      const sent = await bob.client.send({ msg_type: 'accept', recipient: alice.id, conversation_id, payload });
      assert.equal(sent.status, 'delivered');
      assert.equal((await bob.client.deal(conversation_id)).state, 'accepted');
      assert.equal((await alice.client.deal(conversation_id)).state, 'accepted');
      const again = await bob.post('/envelopes/send', {
        msg_type: 'REJECT',
        recipient: alice.id,
        conversation_id,
        payload: { reason: '' },
      });
      assert.deepEqual(
        [again.status, again.body.code, again.body.allowed_actions],
        [409, 'invalid_transition', ['deliver']],
      );
    });

    it('a step to somebody else is refused and moves nothing', async () => {
      const conversation_id = await proposed(alice, bob);
      const { carol } = mesh.nodes;
      const payload = { reason: 'No.' };
      const answer = await bob.post('/envelopes/send', {
        msg_type: 'REJECT',
        recipient: carol.id,
        conversation_id,
        payload,
      });
      assert.deepEqual([answer.status, answer.body.fields[0].pointer], [400, '/recipient']);
      assert.equal((await bob.client.deal(conversation_id)).state, 'proposed');
    });

    it('a delivery names the conversation it is sent in', async () => {
      const conversation_id = await accepted(alice, bob);
      const payload = { conversation_id: '00'.repeat(16), inline_b64: 'eA==' };
      const answer = await bob.post('/envelopes/send', {
        msg_type: 'DELIVER',
        recipient: alice.id,
        conversation_id,
        payload,
      });
      assert.deepEqual([answer.status, answer.body.fields[0].pointer], [400, '/conversation_id']);
      const right = { conversation_id, inline_b64: 'eA==' };
      const sent = await bob.client.send({ msg_type: 'DELIVER', recipient: alice.id, payload: right });
      assert.equal(sent.conversation_id, conversation_id);
      await alice.dealWhen(conversation_id, 'delivered');
    });

    it('a rating counts once, whichever way it is sent', async () => {
      const conversation_id = await delivered(alice, bob);
      const payload = { conversation_id, target_agent: bob.id, score: 5, outcome: 2, is_dispute: false, role: 0 };
      const early = await accepted(alice, bob);
      const answer = await alice.post('/envelopes/send', {
        msg_type: 'FEEDBACK',
        payload: { ...payload, conversation_id: early },
      });
      assert.deepEqual([answer.status, answer.body.code], [409, 'invalid_transition']);
      await alice.client.send({ msg_type: 'FEEDBACK', payload });
      for (const [path, body] of [
        ['/feedback', { conversation_id, score: 6 }],
        ['/envelopes/send', { msg_type: 'FEEDBACK', payload }],
      ] as const) {
        const again = await alice.post(path, body);
        assert.deepEqual([again.status, again.body.code], [409, 'invalid_transition'], path);
      }
    });

    it('a rating is of somebody else in the deal', async () => {
      const conversation_id = await delivered(alice, bob);
      for (const target_agent of [alice.id, NOBODY]) {
        const answer = await alice.post('/feedback', { conversation_id, score: 5, target_agent });
        assert.deepEqual([answer.status, answer.body.fields[0].pointer], [400, '/target_agent']);
      }
      assert.equal((await alice.post('/feedback', { conversation_id, score: 5, target_agent: bob.id })).status, 200);
    });
  });
});
