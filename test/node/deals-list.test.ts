import assert from 'node:assert/strict';
import { proposed } from '../support/deals.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

describe('the list of deals', () => {
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  const ids: string[] = [];
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'] });
    ({ alice, bob } = mesh.nodes);
    for (let deal = 0; deal < 7; deal++) ids.unshift(await proposed(alice, bob, { message: `deal ${deal}` }));
  });
  after(() => mesh.stop());

  it('shows the most recently changed first, to both sides', async () => {
    for (const member of [alice, bob]) {
      const { deals, next } = await member.client.deals();
      assert.deepEqual(
        deals.map(({ conversation_id }) => conversation_id),
        ids,
      );
      assert.equal(next, null);
    }
  });

  it('is paged without gaps or repetitions while new deals are made', async () => {
    const seen: string[] = [];
    let before: string | undefined;
    for (let page = 0; page < 10; page++) {
      const { deals, next } = await bob.client.deals({ limit: 3, ...(before && { before }) });
      seen.push(...deals.map(({ conversation_id }) => conversation_id));
      if (next === null) break;
      before = next;
      if (page === 0) await proposed(alice, bob, { message: 'a newer one' });
    }
    assert.deepEqual(seen, ids);
  });

  it('can be narrowed to a state', async () => {
    const [first, second] = ids as [string, string];
    await bob.client.accept({ conversation_id: first });
    await bob.client.accept({ conversation_id: second });
    await alice.dealWhen(second, 'accepted');
    for (const member of [alice, bob]) {
      const { deals } = await member.client.deals({ state: 'accepted' });
      assert.deepEqual(
        deals.map(({ conversation_id }) => conversation_id),
        [second, first],
      );
    }
    assert.deepEqual((await alice.client.deals({ state: 'split' })).deals, []);
    const { next } = await alice.client.deals({ state: 'accepted', limit: 1 });
    const { deals } = await alice.client.deals({ state: 'accepted', limit: 1, before: next! });
    assert.equal(deals[0]!.conversation_id, first);
  });

  it('an offer runs out by itself', async () => {
    const expires_at = new Date(Date.now() + 1_500).toISOString();
    const wish = { recipient: bob.id, amount_usdc: '1', message: 'Quickly!', expires_at };
    const { conversation_id, deal } = await alice.client.propose(wish);
    assert.deepEqual(deal.next_timer, { at: expires_at, kind: 'lapse' });
    for (const member of [alice, bob]) {
      const lapsed = await member.dealWhen(conversation_id, 'expired');
      assert.deepEqual([lapsed.reason, lapsed.allowed_actions], ['offer_expired', []]);
    }
    const late = await bob.post('/negotiate/accept', { conversation_id });
    assert.deepEqual([late.status, late.body.code], [409, 'invalid_transition']);
  });

  for (const [query, pointer] of [
    ['limit=0', '/limit'],
    ['limit=x', '/limit'],
    ['state=lost', '/state'],
    ['before=rubbish', '/before'],
    ['before=bnVsbA', '/before'],
  ]) {
    it(`?${query} is refused with its field`, async () => {
      const { status, body } = await alice.get(`/deals?${query}`);
      assert.deepEqual([status, body.fields[0].pointer], [400, pointer]);
    });
  }
});
