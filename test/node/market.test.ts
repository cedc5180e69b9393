import assert from 'node:assert/strict';
import { newConversation, TestAgent } from '../aggregator/support/agent.ts';
import { accepted, delivered } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { network, Stranger } from '../support/stranger.ts';

const BOB = {
  capabilities: ['translate', 'korean'],
  description: 'Books and letters',
  geo: { country: 'kr', city: 'Seoul' },
  priceRangeUsd: [0.5, 20],
};

describe('finding work and workers', () => {
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    const own = { bob: { agent: { name: 'bob', ...BOB } } };
    mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb', own });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  /** How far the mesh's time is ahead of the machine's, in milliseconds. */
  let ahead = 0;
  const advance = (seconds: number) => {
    ahead += seconds * 1_000;
    mesh.advance(seconds);
  };

  const framesOf = async (member: Member, type: string, from: string): Promise<any[]> => {
    const { frames } = await member.client.inboxPage({ limit: 200 });
    return frames.filter(({ msg_type, sender }) => msg_type === type && sender === from);
  };
  const advertised = (count: number) =>
    happens(`alice hears ${count} ADVERTISEs`, async () => {
      const frames = await framesOf(alice, 'ADVERTISE', bob.id);
      return frames.length >= count ? frames.map(({ payload }) => payload) : undefined;
    });

  describe('ADVERTISE', () => {
    it('is sent at start, with what the configuration says, and the aggregator knows it', async () => {
      const profile = await happens('the aggregator knows', async () => {
        const found = await mesh.aggregator.profile(bob.id);
        return (found.capabilities ?? []).length > 0 ? found : undefined;
      });
      assert.deepEqual(profile.capabilities, ['korean', 'translate']);
      assert.deepEqual([profile.country, profile.city], ['KR', 'Seoul']);
      const { body } = await bob.get('/advertise');
      assert.deepEqual(body.payload, {
        capabilities: ['translate', 'korean'],
        description: 'Books and letters',
        geo: { country: 'KR', city: 'Seoul' },
        price_range_usd: [0.5, 20],
      });
      assert.match(body.advertised_at, /^\d{4}-/);
      const { body: silent } = await alice.get('/advertise');
      assert.deepEqual(silent, { payload: {}, advertised_at: null });
      assert.deepEqual(await framesOf(bob, 'ADVERTISE', alice.id), []);
    });

    it('replaces what it names, and stays over restarts', async () => {
      const before = (await framesOf(alice, 'ADVERTISE', bob.id)).length;
      const sent = await bob.post('/advertise', { capabilities: ['translate', 'korean', 'proofread'] });
      assert.deepEqual([sent.status, sent.body.status], [200, 'broadcast']);
      const said = (await advertised(before + 1)).at(-1);
      assert.deepEqual(said.capabilities, ['translate', 'korean', 'proofread']);
      assert.deepEqual(said.price_range_usd, [0.5, 20]);
      await bob.restart();
      await mesh.acquainted();
      const again = (await advertised(before + 2)).at(-1);
      assert.deepEqual(again, said);
    });

    it('is refused with the field, in the words of the caller', async () => {
      const cases: [body: object, pointer: string][] = [
        [{ capabilities: [''] }, '/capabilities/0'],
        [{ capabilities: Array(33).fill('x') }, '/capabilities'],
        [{ price_range_usd: [1] }, '/price_range_usd'],
        [{ description: '한'.repeat(2_000) }, '/description'],
        [{ downpayment_bps: 5_001 }, '/downpayment_bps'],
      ];
      for (const [body, pointer] of cases) {
        const answer = await bob.post('/advertise', body);
        assert.deepEqual([answer.status, answer.body.fields?.[0]?.pointer], [400, pointer], answer.body.detail);
      }
      const { body } = await bob.get('/advertise');
      assert.deepEqual(body.payload.capabilities, ['translate', 'korean', 'proofread']);
    });
  });

  describe('DISCOVER', () => {
    const ask = async (query: string) =>
      (await alice.post('/envelopes/send', { msg_type: 'DISCOVER', payload: { query } })).body.conversation_id;
    const answered = async (conversation: string) =>
      (await framesOf(alice, 'ADVERTISE', bob.id)).filter(({ conversation_id }) => conversation_id === conversation);

    it('is answered, in its conversation, by who can do what is asked for, and not again at once', async () => {
      const nothing = await ask('juggle');
      const conversation = await ask('Korean proofread');
      const [answer] = await happens('bob answers', async () => {
        advance(1);
        const found = await answered(conversation);
        return found.length > 0 ? found : undefined;
      });
      assert.deepEqual(answer.payload.capabilities, ['translate', 'korean', 'proofread']);
      const again = await ask('translate');
      advance(4);
      await alice.client.message({ recipient: bob.id, text: 'After it.' });
      assert.deepEqual(await answered(again), [], 'not again at once');
      assert.deepEqual(await answered(nothing), [], 'nobody juggles');
      advance(61);
      const third = await ask('translate');
      advance(4);
      await alice.client.message({ recipient: bob.id, text: 'After that.' });
      assert.deepEqual(await answered(third), [], 'one in ten minutes to one key');
    });

    it('of strangers keep a node silent neither towards the next stranger nor towards those it deals with', async () => {
      advance(660);
      const at = { hub: mesh.aggregatorNode.url, now: () => Date.now() + ahead };
      const crowd = await Stranger.start('crowd', [bob], at);
      const said = (key: TestAgent, conversation: string) => {
        const wire = key.sign('DISCOVER', { conversation, payload: { query: 'translate' } });
        crowd.broadcast(wire, 'broadcast');
      };
      const crowded = (count: number) => Array.from({ length: count }, () => newConversation());
      const key = (name: string) => new TestAgent(name, () => Date.now() + ahead, network);
      const all = async (conversations: readonly string[]) =>
        (await Promise.all(conversations.map(answered))).filter(({ length }) => length > 0).length;
      try {
        await accepted(bob, alice, { amount_usdc: '0' });
        const [persistent, next] = [crowded(3), crowded(1)];
        const one = key('persistent');
        for (const conversation of persistent) said(one, conversation);
        said(key('next'), next[0]!);
        await happens('both are answered', async () => {
          advance(1);
          return (await all([persistent[0]!, next[0]!])) === 2 || undefined;
        });
        assert.equal(await all(persistent), 1, 'one in ten minutes to one key');

        const flood = crowded(30);
        for (const [index, conversation] of flood.entries()) said(key(`flood ${index}`), conversation);
        await new Promise((resolve) => setTimeout(resolve, 500));
        const own = await ask('translate');
        await happens('alice is answered in the flood', async () => {
          advance(0.5);
          return (await answered(own)).length > 0 || undefined;
        });
        advance(4);
        await happens('the flood has its share', async () => (await all(flood)) >= 4 || undefined);
        const answers = await all(flood);
        assert.ok(answers <= 8, `${answers} of 30 strangers were answered at once`);
      } finally {
        await crowd.stop();
      }
    });
  });

  describe('BOUNTY', () => {
    const asked = { required_capability: 'translate', max_budget_usd: 12.5, task_summary: '40 pages' };
    const heard = (envelopeId: string) =>
      happens('bob hears of it', async () => {
        const frames = await framesOf(bob, 'BOUNTY', alice.id);
        return frames.find(({ envelope_id }) => envelope_id === envelopeId);
      });

    it('is of its envelope’s conversation and open for a day, unless it says otherwise', async () => {
      for (const path of ['/bounty', '/envelopes/send']) {
        const body = path === '/bounty' ? asked : { msg_type: 'BOUNTY', payload: asked };
        const sent = await alice.post(path, body);
        assert.deepEqual([sent.status, sent.body.status], [200, 'broadcast'], JSON.stringify(sent.body));
        const frame = await heard(sent.body.envelope_id);
        assert.equal(frame.conversation_id, sent.body.conversation_id);
        assert.deepEqual(frame.payload, {
          ...asked,
          deadline_secs: 86_400,
          conversation_id: sent.body.conversation_id,
        });
      }
      const conversation_id = '00112233445566778899aabbccddeeff';
      const sent = await alice.client.bounty({ ...asked, deadline_secs: 60, conversation_id });
      const frame = await heard(sent.envelope_id);
      assert.deepEqual([frame.conversation_id, frame.payload.deadline_secs], [conversation_id, 60]);
    });

    it('is answered with a MESSAGE, and becomes a deal', async () => {
      const { conversation_id } = await alice.client.bounty(asked);
      await bob.client.message({ recipient: alice.id, conversation_id, text: 'I can.' });
      const [answer] = await framesOf(alice, 'MESSAGE', bob.id);
      assert.equal(answer.conversation_id, conversation_id);
      await accepted(alice, bob, { amount_usdc: '0' });
    });

    it('that names another conversation is refused, by the route and on the wire', async () => {
      const send = {
        msg_type: 'BOUNTY',
        conversation_id: 'ab'.repeat(16),
        payload: { ...asked, conversation_id: 'cd'.repeat(16) },
      };
      const { status, body } = await alice.post('/envelopes/send', send);
      assert.deepEqual([status, body.fields[0].pointer], [400, '/conversation_id']);
      const mallory = await Stranger.start('mallory', [bob], { now: () => Date.now() + ahead });
      try {
        const payload = { ...asked, deadline_secs: 60, conversation_id: 'cd'.repeat(16) };
        const other = mallory.sign('BOUNTY', { conversation: 'ab'.repeat(16), payload });
        assert.deepEqual(await mallory.send(bob, other), { outcome: 'acked', reason: 'invalid' });
        const own = mallory.sign('BOUNTY', { conversation: 'cd'.repeat(16), payload });
        assert.deepEqual(await mallory.send(bob, own), { outcome: 'acked', reason: 'accepted' });
      } finally {
        await mallory.stop();
      }
    });

    it('without a budget, or without what is wanted, is refused with the field', async () => {
      for (const [change, pointer] of [
        [{ max_budget_usd: 0 }, '/max_budget_usd'],
        [{ required_capability: '' }, '/required_capability'],
        [{ deadline_secs: 7_776_001 }, '/deadline_secs'],
        [{ task_summary: '한'.repeat(2_000) }, '/task_summary'],
      ] as const) {
        const { status, body } = await alice.post('/bounty', { ...asked, ...change });
        assert.deepEqual([status, body.fields[0].pointer], [400, pointer]);
      }
    });
  });

  describe('POST /dispute', () => {
    it('objects to a delivery, for both sides to see', async () => {
      const conversation_id = await delivered(alice, bob);
      const refused = await bob.post('/dispute', { conversation_id, reason: 'Mine.' });
      assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_transition']);
      assert.ok(Array.isArray(refused.body.allowed_actions));
      const { status, body } = await alice.post('/dispute', { conversation_id, reason: 'Page 12 is missing.' });
      assert.deepEqual([status, body.deal.state], [200, 'disputed'], JSON.stringify(body));
      await bob.dealWhen(conversation_id, 'disputed');
      const [frame] = await framesOf(bob, 'DISPUTE', alice.id);
      assert.deepEqual(frame.payload, { reason: 'Page 12 is missing.' });
    });

    it('names the field that does not fit', async () => {
      const conversation_id = await accepted(alice, bob);
      const early = await alice.post('/dispute', { conversation_id });
      assert.deepEqual([early.status, early.body.code], [409, 'invalid_transition']);
      const share = await alice.post('/dispute', { conversation_id, offer_bps: 10_001 });
      assert.deepEqual([share.status, share.body.fields[0].pointer], [400, '/offer_bps']);
      const none = await alice.post('/dispute', { conversation_id: 'ab'.repeat(16) });
      assert.equal(none.status, 404);
    });
  });
});
