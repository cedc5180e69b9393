import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accepted, delivered, proposed } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

const NONE = { count: 0, positive: 0, neutral: 0, negative: 0, total_score: 0 };
const NOBODY = '6'.repeat(64);

describe('the reputation vector of an agent, at a node', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob' | 'carol'>;
  let alice: Member;
  let bob: Member;
  /** What a stand-in for a second aggregator answers. */
  let answer: unknown = {};
  const other = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  before(async () => {
    await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
    mesh = await startMesh({ nodes: ['alice', 'bob', 'carol'], storage: 'lowdb' });
    ({ alice, bob } = mesh.nodes);
  });
  after(async () => {
    other.close();
    await mesh.stop();
  });

  const of = async (member: Member, agent: string) => (await member.get(`/reputation/${agent}`)).body;
  const rate = async (by: Member, target: Member, conversation_id: string, score: number) => {
    const outcome = score < 0 ? 'negative' : 'positive';
    const { status, body } = await by.post('/feedback', { conversation_id, target_agent: target.id, score, outcome });
    assert.equal(status, 200, JSON.stringify(body));
  };

  it('shows this node’s own deals and ratings, given and received, over a restart too', async () => {
    const first = await delivered(alice, bob, { amount_usdc: '0' });
    await proposed(bob, alice, { amount_usdc: '0' });
    await accepted(alice, bob, { amount_usdc: '0' });
    await rate(alice, bob, first, 80);
    await rate(bob, alice, first, -20);
    const received = { count: 1, positive: 0, neutral: 0, negative: 1, total_score: -20 };
    const look = () =>
      happens('both ratings are counted', async () => {
        const { own } = await of(alice, bob.id);
        return own.ratings.received.count === 1 ? own : undefined;
      });
    const own = await look();
    assert.deepEqual(own.ratings, {
      given: { count: 1, positive: 1, neutral: 0, negative: 0, total_score: 80 },
      given_as_notary: NONE,
      received,
    });
    const { last_at, by_state, ...counts } = own.deals;
    assert.match(last_at, /^\d{4}-.*Z$/);
    assert.deepEqual(counts, { count: 3, more: false, as_provider: 2, as_requester: 1, lapsed_by_agent: 0 });
    assert.deepEqual([by_state.proposed, by_state.accepted], [1, 1]);
    await alice.restart();
    assert.deepEqual((await look()).ratings, own.ratings);
    const { own: theirs } = await of(bob, alice.id);
    assert.deepEqual([theirs.ratings.given, theirs.deals.as_provider], [received, 1]);
  });

  it('shows beside it the word of the aggregator, with its time, and keeps the members of older clients', async () => {
    const vector = await happens('the rating counts at the aggregator', async () => {
      mesh.advance(31);
      const found = await of(mesh.nodes.carol, bob.id);
      return found.total_tasks === 1 ? found : undefined;
    });
    assert.equal(vector.own, null);
    const [word] = vector.aggregators;
    assert.deepEqual([word.state, word.url], ['known', mesh.aggregatorNode.url]);
    assert.deepEqual(vector.source, { url: word.url, state: 'known', asked_at: word.asked_at });
    assert.deepEqual(
      [vector.score, vector.components, vector.confidence, vector.decay],
      [word.reputation.score, word.reputation.points, word.reputation.confidence, word.reputation.idle],
    );
    assert.deepEqual([vector.reliability, vector.cooperation, vector.total_disputes], [80_000, 80_000, 0]);
    assert.ok(vector.last_active_epoch > 0);
  });

  it('is 404 for an agent that nobody knows, and 400 for an id that is none', async () => {
    const nobody = await alice.get(`/reputation/${NOBODY}`);
    assert.equal(nobody.status, 404, JSON.stringify(nobody.body));
    for (const id of ['x', '3'.repeat(43), '0'.repeat(64)])
      assert.equal((await alice.get(`/reputation/${id}`)).status, 400, id);
  });

  it('says that an aggregator is away, with its last answer, and believes no answer that is none', async () => {
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const asked = await fetch(`${mesh.aggregatorNode.url}/reputation/${bob.id}`);
    const reputation = (await asked.json()) as object;
    const mesh2 = await startMesh({ nodes: ['dave'], isolated: true, own: { dave: { mesh: { aggregators: [url] } } } });
    try {
      const { dave } = mesh2.nodes;
      for (const wrong of [{}, [], { ...reputation, score: 101 }, { ...reputation, agent_id: alice.id }]) {
        answer = wrong;
        const found = await of(dave, bob.id);
        assert.deepEqual([found.score, found.source], [null, null]);
        assert.deepEqual([found.aggregators[0].state, found.aggregators[0].reputation], ['away', null]);
        assert.match(found.aggregators[0].detail, /no reputation of this agent|no JSON object/);
        mesh2.advance(6);
      }
      answer = { ...reputation, raters: [], name: 'x'.repeat(100) };
      const known = await of(dave, bob.id);
      assert.equal(known.source.state, 'known');
      other.close();
      other.closeAllConnections();
      assert.deepEqual(await of(dave, bob.id), known, 'a fresh answer is not asked for again');
      mesh2.advance(31);
      const away = await of(dave, bob.id);
      assert.deepEqual([away.source, away.score], [{ ...known.source, state: 'away' }, known.score]);
      assert.equal(away.aggregators[0].asked_at, known.aggregators[0].asked_at);
      mesh2.advance(24 * 3_600);
      const later = await of(dave, bob.id);
      assert.deepEqual([later.score, later.aggregators[0].reputation], [null, null]);
    } finally {
      await mesh2.stop();
    }
  });
});
