import assert from 'node:assert/strict';
import { testNode } from '../../adapters/testing.ts';
import { definePlugin, type MeshError, type Permission } from '../../core/plugin.ts';
import { Deals, type DealView, Payments } from '../../core/services.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

/** A plugin that holds these permissions, and hands out its service of deals. */
function dealer(name: string, ...permissions: Permission[]) {
  const found: { deals?: Deals } = {};
  const plugin = definePlugin({
    name,
    api: '2.0',
    permissions,
    node: {
      uses: { deals: Deals },
      setup({ deals }) {
        found.deals = deals;
        return {};
      },
    },
  });
  return {
    plugin,
    get deals(): Deals {
      return found.deals!;
    },
  };
}

const refused = (code: string) => (error: MeshError) => {
  assert.equal(error.code, code, error.message);
  return true;
};

describe('the service Deals', function () {
  this.timeout(60_000);
  const buyer = dealer('buyer', 'deals:read', 'deals:act');
  const seller = dealer('seller', 'deals:read', 'deals:act');
  const reader = dealer('reader', 'deals:read');
  const actor = dealer('actor', 'deals:act');
  const paid: { payments?: Payments } = {};
  const payer = definePlugin({
    name: 'payer',
    api: '2.0',
    permissions: ['money:spend'],
    node: {
      uses: { payments: Payments },
      setup({ payments }) {
        paid.payments = payments;
        return {};
      },
    },
  });
  let mesh: Mesh<'alice' | 'bob'>;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      usdc: { alice: '20' },
      plugins: { alice: [buyer.plugin, reader.plugin, actor.plugin, payer], bob: [seller.plugin] },
    });
    bob = mesh.nodes.bob;
  });
  after(() => mesh.stop());

  const offer = (message: string) => ({ recipient: bob.id, amount_usdc: '2', message, escrow: false });
  const seenBy = (deals: Deals, conversation: string, state: string) =>
    happens(`the deal is ${state}`, async () => {
      const deal = await deals.get(conversation).catch(() => undefined);
      return deal?.state === state ? deal : undefined;
    });

  it('carries a deal of two plugins from the offer to the rating, told by what changes', async () => {
    const told: string[] = [];
    const end = seller.deals.follow(async ({ conversation_id, state }) => {
      told.push(state);
      if (state === 'proposed') await seller.deals.accept({ conversation_id });
      if (state === 'accepted') await seller.deals.deliver({ conversation_id, content: 'three words here' });
    });
    const { conversation_id, deal } = await buyer.deals.propose(offer('Count.'));
    assert.deepEqual([deal.role, deal.amount_usdc], ['requester', '2']);
    await seenBy(buyer.deals, conversation_id, 'delivered');
    assert.equal((await paid.payments!.pay(conversation_id)).state, 'settled');
    await seenBy(seller.deals, conversation_id, 'settled');
    await happens('the settlement is told', async () => told.includes('settled') || undefined);
    end();
    const rated = await buyer.deals.feedback({ conversation_id, score: 80 });
    assert.equal(rated.feedback?.score, 80);
    assert.deepEqual([...new Set(told)], ['proposed', 'accepted', 'delivered', 'settled']);
  });

  it('takes the steps of an escrow, which Payments locks and releases', async () => {
    const terms = { recipient: bob.id, amount_usdc: '2', message: 'Locked.' };
    const { conversation_id } = await buyer.deals.propose(terms);
    await seenBy(seller.deals, conversation_id, 'proposed');
    await seller.deals.accept({ conversation_id });
    await seenBy(buyer.deals, conversation_id, 'accepted');
    const { escrow, signature } = await paid.payments!.lock({ conversation_id });
    assert.equal((await paid.payments!.lock({ conversation_id })).signature, signature);
    const locked = await happens('the lock is final', () =>
      reader.deals.escrow.get(conversation_id).catch(() => undefined),
    );
    assert.deepEqual([locked.escrow, locked.state, locked.amount_usdc], [escrow, 'locked', '2']);
    await assert.rejects(buyer.deals.escrow.refund({ conversation_id }), refused('forbidden'));
    const back = await seller.deals.escrow.refund({ conversation_id });
    assert.equal(back.conversation_id, conversation_id);
    await happens('the lock is gone', () =>
      reader.deals.escrow.get(conversation_id).then(
        () => undefined,
        (error: MeshError) => error.code === 'escrow_not_found' || undefined,
      ),
    );
  });

  it('takes a step once for an operation id, which is of that plugin and step alone', async () => {
    const once = { operationId: 'order-1' };
    const [first, again] = [
      await buyer.deals.propose(offer('Once.'), once),
      await buyer.deals.propose(offer('Once.'), once),
    ];
    assert.deepEqual(again, first);
    await assert.rejects(buyer.deals.propose(offer('Twice.'), once), refused('idempotency_mismatch'));
    const other = await actor.deals.propose(offer('Once.'), once);
    assert.notEqual(other.conversation_id, first.conversation_id);
    await assert.rejects(buyer.deals.propose(offer('No.'), { operationId: 'a b' }), refused('invalid_request'));
  });

  it('refuses what the deal, the operator or the schema does not allow, with what it says over HTTP', async () => {
    const { conversation_id } = await buyer.deals.propose(offer('Refuse.'));
    const notMine = (error: MeshError) => {
      assert.equal(error.code, 'invalid_transition');
      assert.deepEqual(error.details.extra?.['allowed_actions'], ['reject']);
      return true;
    };
    await assert.rejects(buyer.deals.accept({ conversation_id }), notMine);
    await assert.rejects(buyer.deals.get('ab'.repeat(16)), refused('not_found'));
    await assert.rejects(buyer.deals.accept({ conversation_id: 'ab'.repeat(16) }), refused('not_found'));
    const tooMuch = { ...offer('Much.'), amount_usdc: '9000000' };
    await assert.rejects(buyer.deals.propose(tooMuch), refused('spending_cap'));
    for (const bad of [undefined, null, 'text', {}, { recipient: 1n }, { ...offer('x'), amount_usdc: 2 }])
      await assert.rejects(buyer.deals.propose(bad as never), refused('invalid_request'));
    await assert.rejects(buyer.deals.get('rubbish'), refused('invalid_request'));
    await assert.rejects(buyer.deals.page({ before: 'rubbish' }), refused('invalid_request'));
    await assert.rejects(buyer.deals.page({ state: 'lost' as never }), refused('invalid_request'));
  });

  it('reads pages with deals:read and acts with deals:act, and neither with the other', async () => {
    const { conversation_id } = await actor.deals.propose(offer('Mine.'));
    const first = await reader.deals.page({ state: 'proposed', limit: 1 });
    assert.deepEqual(
      first.deals.map((deal) => deal.conversation_id),
      [conversation_id],
    );
    const second = await reader.deals.page({ state: 'proposed', limit: 1, before: first.next! });
    assert.notEqual(second.deals[0]?.conversation_id, conversation_id);

    await assert.rejects(actor.deals.get(conversation_id), refused('forbidden'));
    await assert.rejects(actor.deals.page(), refused('forbidden'));
    await assert.rejects(actor.deals.escrow.get(conversation_id), refused('forbidden'));
    assert.throws(() => actor.deals.follow(() => {}), refused('forbidden'));
    const { escrow, get: _, page: __, follow: ___, ...steps } = reader.deals;
    const { get: ____, ...escrowSteps } = escrow;
    for (const step of [...Object.values(steps), ...Object.values(escrowSteps)])
      await assert.rejects(step({ conversation_id } as never), refused('forbidden'));
    assert.equal((await reader.deals.get(conversation_id)).state, 'proposed');
  });

  it('goes on telling a follower that throws, one deal at a time, and stops when it is ended', async () => {
    const told: DealView[] = [];
    let open = 0;
    const end = reader.deals.follow(async (deal) => {
      open += 1;
      assert.equal(open, 1);
      await new Promise((done) => setTimeout(done, 5));
      told.push(deal);
      open -= 1;
      throw new Error('the follower is broken');
    });
    const made = await Promise.all(['a', 'b', 'c'].map((message) => actor.deals.propose(offer(message))));
    const ids = made.map(({ conversation_id }) => conversation_id).sort();
    const missing = () => ids.filter((id) => !told.some((deal) => deal.conversation_id === id));
    await happens('all are told', async () => missing().length === 0 || undefined);
    end();
    await happens('the follower is done with the last', async () => open === 0 || undefined);
    const before = told.length;
    await actor.deals.reject({ conversation_id: ids[0]! });
    await new Promise((done) => setTimeout(done, 30));
    assert.equal(told.length, before);
  });

  it('is limited for each plugin as a caller over HTTP is', async () => {
    const busy = dealer('busy', 'deals:act');
    const node = await testNode(busy.plugin);
    try {
      const codes = new Set<string>();
      for (let call = 0; call < 620; call += 1)
        await busy.deals.propose({} as never).catch(({ code }: MeshError) => codes.add(code));
      assert.deepEqual([...codes], ['invalid_request', 'rate_limited']);
    } finally {
      assert.deepEqual(await node.stop(), []);
    }
  });

  it('says on a node without a ledger what is missing', async () => {
    const alone = dealer('alone', 'deals:read', 'deals:act');
    const node = await testNode(alone.plugin);
    try {
      const conversation_id = 'ab'.repeat(16);
      assert.deepEqual(await alone.deals.page(), { deals: [], next: null });
      await assert.rejects(alone.deals.escrow.refund({ conversation_id }), refused('ledger_unavailable'));
      await assert.rejects(alone.deals.escrow.get(conversation_id), refused('ledger_unavailable'));
      await assert.rejects(alone.deals.feedback({ conversation_id, score: 1 }), refused('not_found'));
    } finally {
      assert.deepEqual(await node.stop(), []);
    }
  });
});
