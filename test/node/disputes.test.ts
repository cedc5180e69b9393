import assert from 'node:assert/strict';
import { Identity, Ledger } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { DealBook } from '../../core/node/services/deal-book.ts';
import { definePlugin } from '../../core/plugin.ts';
import { escrowName } from '../../core/protocol/deals/agreed-lock.ts';
import { DeliveryChecks } from '../../core/services.ts';
import { accepted } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** A plugin that runs the acceptance check of deals: nothing that says "rubbish" is what was asked for. */
const picky = definePlugin({
  name: 'picky',
  api: '2.0',
  permissions: ['messages:read'],
  node: {
    uses: { checks: DeliveryChecks },
    envelopes: { DELIVER: true },
    setup: ({ checks }) => ({
      envelopes: {
        async DELIVER({ id, conversationId, payload }) {
          const text = Buffer.from(payload.inline_b64 ?? '', 'base64').toString('utf8');
          await checks.found(conversationId, id, !text.includes('rubbish'));
        },
      },
    }),
  },
});

describe('a disputed escrow', function () {
  this.timeout(120_000);
  let mesh: Mesh<'alice' | 'bob' | 'nora'>;
  let alice: Member;
  let bob: Member;
  let nora: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob', 'nora'], usdc: { alice: '200' }, plugins: { alice: [picky] } });
    ({ alice, bob, nora } = mesh.nodes);
  });
  after(() => mesh?.stop());

  const usdcOf = (member: Member) => member.node.get(Ledger).usdc(member.id);
  const events = (deal: { history: { event: string }[] }) => deal.history.map(({ event }) => event);

  const isPaidOut = (deal: any) => deal.escrow.waiting_usdc_micro === undefined;

  /** A deal of 10 USDC with a bond of 5, delivered on the ledger; with what the two held before. */
  async function delivered(terms: object = {}, content = '{}') {
    const before = [await usdcOf(alice), await usdcOf(bob)] as const;
    const conversation_id = await accepted(alice, bob, { amount_usdc: '10', ...terms });
    const lock = await alice.post('/escrow/lock', { conversation_id });
    assert.equal(lock.status, 200, JSON.stringify(lock.body));
    await bob.dealWhen(conversation_id, (deal) => events(deal).includes('locked'));
    await bob.client.deliver({ conversation_id, content, content_type: 'application/json' });
    for (const node of [alice, bob])
      await node.dealWhen(conversation_id, (deal) => events(deal).includes('escrow_delivered'));
    const moved = async () => [(await usdcOf(alice)) - before[0], (await usdcOf(bob)) - before[1]];
    return { conversation_id, moved };
  }

  async function ok(answer: Promise<{ status: number; body: any }>) {
    const { status, body } = await answer;
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  async function refused(answer: Promise<{ status: number; body: any }>, code: string, allowed?: string[]) {
    const { status, body } = await answer;
    assert.equal(body.code, code, `${status} ${JSON.stringify(body)}`);
    if (allowed) assert.deepEqual([...body.allowed_actions].sort(), [...allowed].sort());
    return body;
  }

  const burnt = { outcome: 'split', to_provider_usdc_micro: 0, to_requester_usdc_micro: 0 };

  it('at 0 and contested without a notary burns: requester −15, provider 0', async () => {
    const { conversation_id, moved } = await delivered();
    const disputed = await ok(alice.post('/escrow/dispute', { conversation_id }));
    assert.deepEqual([disputed.deal.state, disputed.deal.escrow.offer_bps], ['disputed', 0]);
    await bob.dealWhen(conversation_id, 'disputed');
    await ok(bob.post('/escrow/contest', { conversation_id }));
    for (const node of [alice, bob]) {
      const { escrow } = await node.dealWhen(conversation_id, (deal) => deal.state === 'split');
      for (const [key, value] of Object.entries({ ...burnt, burnt_usdc_micro: 15_000_000 }))
        assert.equal((escrow as any)[key], value, key);
    }
    assert.deepEqual(await moved(), [-15_000_000n, 0n]);
  });

  it('is raised, and a contest of less than the raised offer is refused, with what is allowed instead', async () => {
    const { conversation_id, moved } = await delivered();
    await ok(alice.post('/escrow/dispute', { conversation_id, offer_bps: 6_000 }));
    const lower = await refused(
      alice.post('/escrow/dispute', { conversation_id, offer_bps: 5_999 }),
      'invalid_request',
    );
    assert.equal(lower.errors?.[0].pointer ?? lower.fields?.[0].pointer, '/offer_bps');
    const raised = await ok(alice.post('/escrow/dispute', { conversation_id, offer_bps: 9_000 }));
    for (const [who, path, alone] of [
      [alice, 'contest', `Only the provider contests; in this deal that is ${bob.id}.`],
      [alice, 'refund', `Only the provider refunds; in this deal that is ${bob.id}.`],
      [alice, 'deliver', `Only the provider names its delivery; in this deal that is ${bob.id}.`],
      [bob, 'approve', `Only the requester approves; in this deal that is ${alice.id}.`],
      [bob, 'dispute', `Only the requester disputes; in this deal that is ${alice.id}.`],
    ] as const) {
      const wrong = await who.post(`/escrow/${path}`, { conversation_id });
      assert.deepEqual([wrong.status, wrong.body.code, wrong.body.detail], [403, 'forbidden', alone], path);
    }
    assert.deepEqual(
      [raised.deal.escrow.offer_bps, raised.deal.allowed_actions],
      [9_000, ['approve', 'raise', 'feedback']],
    );
    const theirs = await bob.dealWhen(conversation_id, (deal) => deal.escrow.offer_bps === 9_000);
    assert.deepEqual(theirs.allowed_actions, ['refund', 'contest', 'feedback']);
    const { body: account } = await bob.get(`/escrow/${conversation_id}`);
    assert.deepEqual([account.state, account.offer_bps, account.contested], ['disputed', 9_000, false]);
    const low = await bob.post('/escrow/contest', { conversation_id, max_bps: 7_999 });
    assert.ok(low.status >= 400, JSON.stringify(low.body));
    assert.deepEqual(low.body.allowed_actions, ['refund', 'contest', 'feedback']);
    assert.ok(low.body.detail.length > 20);
    await refused(bob.post('/escrow/split', { conversation_id }), 'deadline_not_reached', [
      'refund',
      'contest',
      'feedback',
    ]);
    await ok(alice.post('/escrow/approve', { conversation_id }));
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, 'settled');
    assert.deepEqual(await moved(), [-10_000_000n, 10_000_000n]);
  });

  it('leaves the offered share to the provider when what was contested burns', async () => {
    const { conversation_id, moved } = await delivered();
    await ok(alice.post('/escrow/dispute', { conversation_id, offer_bps: 6_000 }));
    await ok(bob.post('/escrow/contest', { conversation_id }));
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, (deal) => deal.state === 'split');
    assert.deepEqual(await moved(), [-12_000_000n, 6_000_000n]);
  });

  it('never offers less than the terms allow', async () => {
    const { conversation_id, moved } = await delivered({ dispute_bps: 5_000, bond_usdc: '0' });
    await refused(alice.post('/escrow/dispute', { conversation_id, offer_bps: 4_999 }), 'invalid_request');
    const { deal } = await ok(alice.post('/escrow/dispute', { conversation_id }));
    assert.equal(deal.escrow.offer_bps, 5_000);
    mesh.advance(3 * DAY + 5);
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, 'split');
    assert.deepEqual(await moved(), [-5_000_000n, 5_000_000n]);
  });

  it('is contested by the node of a provider that delivered, at 48 hours of 72 and not before', async () => {
    const { conversation_id, moved } = await delivered();
    await ok(alice.post('/escrow/dispute', { conversation_id }));
    await bob.dealWhen(conversation_id, 'disputed');
    mesh.advance(47 * HOUR);
    await new Promise((done) => setTimeout(done, 3_000));
    assert.equal((await bob.client.deal(conversation_id)).state, 'disputed');
    mesh.advance(HOUR + 60);
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, (deal) => deal.state === 'split');
    assert.deepEqual(await moved(), [-15_000_000n, 0n]);
  });

  it('is given back at once by the node of a provider that has not delivered what it named', async () => {
    const before = [await usdcOf(alice), await usdcOf(bob)];
    const conversation_id = await accepted(alice, bob, { amount_usdc: '10' });
    await ok(alice.post('/escrow/lock', { conversation_id }));
    await bob.dealWhen(conversation_id, (deal) => events(deal).includes('locked'));
    const { deal } = await bob.node.get(DealBook).get(conversation_id);
    const ledger = bob.node.get(Ledger);
    const step = { type: 'deliver', ...escrowName(deal), delivery: 'ee'.repeat(32) } as const;
    const prepared = await ledger.settlement!.prepare(step, [ledgerSigner(bob.node.get(Identity))]);
    assert.equal((await ledger.submit(prepared)).status, 'confirmed');
    await alice.dealWhen(conversation_id, (one) => events(one).includes('escrow_delivered'));
    mesh.advance(12 * HOUR + 60);
    for (const node of [alice, bob]) {
      const refundedDeal = await node.dealWhen(conversation_id, 'refunded');
      assert.ok(events(refundedDeal).includes('escrow_disputed'));
    }
    assert.deepEqual([await usdcOf(alice), await usdcOf(bob)], before);
  });

  it('follows from an acceptance check that fails, and from none that passes', async () => {
    const terms = { acceptance: 'ab'.repeat(32) };
    const bad = await delivered(terms, 'rubbish');
    const deal = await bob.dealWhen(bad.conversation_id, 'disputed');
    assert.equal(deal.escrow.offer_bps, 0);
    const good = await delivered(terms);
    await new Promise((done) => setTimeout(done, 3_000));
    assert.equal((await alice.client.deal(good.conversation_id)).state, 'delivered');
    await ok(alice.post('/escrow/approve', { conversation_id: good.conversation_id }));
    await ok(bob.post('/escrow/refund', { conversation_id: bad.conversation_id }));
  });

  for (const [forProvider, expected] of [
    [true, [-15_000_000n, 15_000_000n]],
    [false, [0n, 0n]],
  ] as const)
    it(`is decided by its notary after a contest: ${forProvider ? 'for the provider' : 'the offer stands'}`, async () => {
      const { conversation_id, moved } = await delivered({ notary: nora.id });
      await happens('a notary that was told', async () => {
        const cases: any[] = (await nora.get('/notarize/cases')).body;
        return cases.some((one) => one.conversation_id === conversation_id) || undefined;
      });
      await refused(
        nora.post('/notarize/decide', { conversation_id, for_provider: forProvider }),
        'invalid_transition',
        ['verdict'],
      );
      await ok(alice.post('/escrow/dispute', { conversation_id }));
      await ok(bob.post('/escrow/contest', { conversation_id }));
      await refused(nora.post('/notarize/decide', { conversation_id }), 'invalid_request');
      await refused(nora.post('/verdict', { conversation_id, outcome: 'approve' }), 'invalid_transition', ['decide']);
      const wish = forProvider ? { for_provider: true } : { outcome: 'reject' };
      const decided = await ok(nora.post('/notarize/decide', { conversation_id, ...wish }));
      const again = await ok(nora.post('/notarize/decide', { conversation_id, ...wish }));
      await refused(nora.post('/notarize/decide', { conversation_id, for_provider: !forProvider }), 'conflict');
      for (const node of [alice, bob]) {
        const { escrow } = await node.dealWhen(conversation_id, (deal) => deal.state === 'decided' && isPaidOut(deal));
        assert.equal(escrow.to_provider_usdc_micro, forProvider ? 15_000_000 : 0);
      }
      assert.deepEqual(await moved(), expected);
      assert.deepEqual(again.escrow?.signature, decided.escrow?.signature);
    });

  it('burns when its notary is silent, after three days', async () => {
    const { conversation_id, moved } = await delivered({ notary: nora.id });
    await ok(alice.post('/escrow/dispute', { conversation_id }));
    const { deal } = await ok(bob.post('/escrow/contest', { conversation_id }));
    assert.deepEqual([deal.state, deal.allowed_actions], ['contested', ['refund', 'feedback']]);
    await refused(bob.post('/escrow/split', { conversation_id }), 'deadline_not_reached');
    mesh.advance(3 * DAY + 5);
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, (one) => one.state === 'split');
    assert.deepEqual(await moved(), [-15_000_000n, 0n]);
  });

  it('by a rejecting VERDICT is decided by that verdict when the provider contests', async () => {
    const { conversation_id, moved } = await delivered({ notary: nora.id });
    await ok(alice.post('/notarize/assign', { conversation_id }));
    const given = await ok(nora.post('/verdict', { conversation_id, outcome: 'reject' }));
    assert.equal(given.verdict.escrow, 'due');
    await bob.dealWhen(conversation_id, (deal) => deal.state === 'disputed');
    await ok(bob.post('/escrow/contest', { conversation_id }));
    for (const node of [alice, bob])
      await node.dealWhen(conversation_id, (deal) => deal.state === 'decided' && isPaidOut(deal));
    assert.deepEqual(await moved(), [0n, 0n]);
  });

  it('reminds a silent requester at half and at three quarters of the review, and pays when it stays silent', async () => {
    const told = alice.watch('/ws/events');
    const { conversation_id, moved } = await delivered({ review_secs: 4 * HOUR });
    for (const [wait, reminder] of [
      [2 * HOUR + 60, 'review_half'],
      [HOUR, 'review_three_quarters'],
    ] as const) {
      mesh.advance(wait);
      await happens(reminder, async () =>
        told.frames.find(({ data }) => data?.conversation_id === conversation_id && data.reminder === reminder),
      );
    }
    mesh.advance(HOUR);
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, 'settled');
    assert.deepEqual(await moved(), [-10_000_000n, 10_000_000n]);
    told.socket.close();
  });
});
