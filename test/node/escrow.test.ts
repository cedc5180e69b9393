import assert from 'node:assert/strict';
import { Identity, Ledger } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { DealBook } from '../../core/node/services/deal-book.ts';
import { Escrows } from '../../core/node/services/escrows.ts';
import { agreedLock, agreementOf, escrowName } from '../../core/protocol/deals/agreed-lock.ts';
import type { SettlementStep } from '../../core/protocol/settlement/steps.ts';
import { accepted } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';

const HOUR = 3_600;

describe('a deal in escrow', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob' | 'nora'>;
  let alice: Member;
  let bob: Member;
  let nora: Member;
  let rpc: RpcProxy;
  before(async () => {
    rpc = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'nora'],
      storage: 'lowdb',
      usdc: { alice: '100' },
      rpcUrl(url) {
        rpc.target = url;
        return rpc.url;
      },
    });
    ({ alice, bob, nora } = mesh.nodes);
  });
  after(async () => {
    await mesh.stop();
    await rpc.stop();
  });

  const usdcOf = (member: Member) => member.node.get(Ledger).usdc(member.id);
  /** What it changes of the two wallets. */
  async function moved(run: () => Promise<unknown>): Promise<[bigint, bigint]> {
    const before = [await usdcOf(alice), await usdcOf(bob)] as const;
    await run();
    return [(await usdcOf(alice)) - before[0], (await usdcOf(bob)) - before[1]];
  }
  const events = (deal: { history: { event: string }[] }) => deal.history.map(({ event }) => event);

  async function locked(wish: object = {}): Promise<string> {
    const conversation_id = await accepted(alice, bob, wish);
    const answer = await alice.post('/escrow/lock', { conversation_id });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    await bob.dealWhen(conversation_id, (deal) => events(deal).includes('locked'));
    return conversation_id;
  }

  async function handedOver(wish: object = {}): Promise<string> {
    const conversation_id = await locked(wish);
    await bob.client.deliver({ conversation_id, content: '{}', content_type: 'application/json' });
    for (const node of [alice, bob])
      await node.dealWhen(conversation_id, (deal) => events(deal).includes('escrow_delivered'));
    return conversation_id;
  }

  it('is locked, delivered on the ledger by itself, and released on approval', async () => {
    const conversation_id = await accepted(alice, bob);
    const deal = await alice.client.deal(conversation_id);
    assert.deepEqual(deal.allowed_actions, ['lock', 'pay']);
    let lock: any;
    const [paid] = await moved(async () => {
      const answer = await alice.post('/escrow/lock', { conversation_id, amount_usdc: '1.5', provider: bob.id });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      lock = answer.body;
    });
    assert.equal(paid, -2_250_000n, 'the amount and half of it as bond');
    assert.equal(lock.deal.state, 'accepted');
    assert.deepEqual(lock.deal.allowed_actions, ['approve']);
    const again = await alice.post('/escrow/lock', { conversation_id });
    assert.deepEqual([again.status, again.body.signature], [200, lock.signature]);
    const { body: account } = await bob.get(`/escrow/${conversation_id}`);
    assert.deepEqual([account.escrow, account.vault, account.state], [lock.escrow, lock.vault, 'locked']);
    assert.deepEqual(
      [account.amount_usdc, account.bond_usdc, account.terms, account.notary, account.offer_bps, account.contested],
      ['1.5', '0.75', deal.history.at(-1)!.envelope_id, null, null, false],
    );
    await bob.dealWhen(conversation_id, (theirs) => events(theirs).includes('locked'));

    await bob.client.deliver({ conversation_id, content: '{}', content_type: 'application/json' });
    const ours = await alice.dealWhen(conversation_id, (theirs) => events(theirs).includes('escrow_delivered'));
    assert.equal(ours.state, 'delivered');
    const approval = await moved(() => alice.post('/escrow/approve', { conversation_id }));
    assert.deepEqual(approval, [750_000n, 1_500_000n]);
    for (const node of [alice, bob]) {
      const settled = await node.dealWhen(conversation_id, 'settled');
      assert.equal(events(settled).at(-1), 'released');
    }
    const { body: closed } = await alice.get(`/escrow/${conversation_id}`);
    assert.equal(closed.code, 'escrow_not_found');
    assert.match(closed.detail, /has ended and is closed: escrow of GET \/deals/);
  });

  it('only what was agreed can be locked', async () => {
    const conversation_id = await accepted(alice, bob);
    const cases: [pointer: string, changed: object][] = [
      ['/amount_usdc', { amount_usdc: '1.6' }],
      ['/amount_usdc_micro', { amount_usdc_micro: 1 }],
      ['/provider', { provider: nora.id }],
      ['/requester', { requester: nora.id }],
      ['/notary', { notary: nora.id }],
      ['/deadline_secs', { deadline_secs: 60 }],
      ['/review_secs', { review_secs: HOUR }],
      ['/bond_usdc', { bond_usdc: '0.7' }],
      ['/dispute_bps', { dispute_bps: 5_000 }],
      ['/provider', { provider: '1'.repeat(43) }],
    ];
    for (const [pointer, changed] of cases) {
      const { status, body } = await alice.post('/escrow/lock', { conversation_id, ...changed });
      assert.deepEqual(
        [status, body.fields?.[0].pointer ?? body.errors?.[0].pointer],
        [400, pointer],
        JSON.stringify(body),
      );
      if (/amount|bond/.test(pointer)) assert.match(body.detail, /agreed, [\d.]+ USDC \(\d+ minor units\)/);
    }
    const others = await bob.post('/escrow/lock', { conversation_id });
    assert.deepEqual([others.status, others.body.code], [409, 'invalid_transition']);
    const unknown = await alice.post('/escrow/lock', { conversation_id: 'ff'.repeat(16) });
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found']);
    for (const step of ['approve', 'refund', 'reclaim', 'dispute', 'claim', 'split']) {
      const { status, body } = await alice.post(`/escrow/${step}`, { conversation_id });
      assert.deepEqual([status, body.code], [404, 'escrow_not_found'], step);
      assert.deepEqual(body.allowed_actions, ['lock', 'pay'], step);
      if (step === 'dispute') assert.match(body.detail, /nothing is locked for this deal/, step);
    }
    const early = await bob.post('/escrow/deliver', { conversation_id });
    assert.deepEqual([early.status, early.body.code], [409, 'invalid_transition']);
    const poor = await accepted(bob, alice, { amount_usdc: '5' });
    const short = await bob.post('/escrow/lock', { conversation_id: poor });
    assert.deepEqual([short.status, short.body.code], [402, 'insufficient_funds']);
  });

  it('too late to lock is said before anything is locked', async () => {
    const conversation_id = await accepted(alice, bob, { deadline_secs: 600 });
    mesh.advance(400);
    const { status, body } = await alice.post('/escrow/lock', { conversation_id });
    assert.deepEqual([status, body.code], [409, 'deadline_passed']);
  });

  it('goes back when nothing was delivered in time', async () => {
    const conversation_id = await locked({ deadline_secs: HOUR });
    const [back] = await moved(async () => {
      mesh.advance(HOUR + 2);
      const abandoned = await alice.dealWhen(conversation_id, (deal) => events(deal).includes('reclaimed'));
      assert.deepEqual([abandoned.state, abandoned.reason], ['abandoned', 'not_delivered']);
    });
    assert.equal(back, 2_250_000n);
    await bob.dealWhen(conversation_id, (deal) => events(deal).includes('reclaimed'));
  });

  it('is claimed by the provider when nobody answers', async () => {
    const conversation_id = await handedOver({ review_secs: HOUR });
    const got = await moved(async () => {
      mesh.advance(HOUR + 5);
      await bob.dealWhen(conversation_id, 'settled');
    });
    assert.deepEqual(got, [750_000n, 1_500_000n]);
    assert.equal(events(await alice.dealWhen(conversation_id, 'settled')).at(-1), 'claimed');
  });

  it('a DISPUTE goes to the ledger with its offer, which stands when nobody contests it', async () => {
    const conversation_id = await handedOver();
    const payload = { reason: 'wrong', offer_bps: 6_000 };
    await alice.client.send({ msg_type: 'DISPUTE', recipient: bob.id, conversation_id, payload });
    await bob.dealWhen(conversation_id, (deal) => events(deal).includes('escrow_disputed'));
    const got = await moved(async () => {
      mesh.advance(3 * 24 * HOUR + 5);
      for (const node of [alice, bob]) await node.dealWhen(conversation_id, 'split');
    });
    assert.deepEqual(got, [1_350_000n, 900_000n]);
  });

  it('a provider can give it back', async () => {
    const conversation_id = await locked();
    assert.deepEqual(await moved(() => bob.post('/escrow/refund', { conversation_id })), [2_250_000n, 0n]);
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, 'refunded');
  });

  it('a notary neither releases nor gives back: it has a word, and decides what is contested', async () => {
    const conversation_id = await handedOver({ notary: nora.id });
    const nameless = await nora.post('/escrow/approve', { conversation_id });
    assert.deepEqual(
      [nameless.status, nameless.body.fields?.[0].pointer ?? nameless.body.errors?.[0].pointer],
      [400, '/requester'],
    );
    const parties = { requester: alice.id, provider: bob.id };
    for (const step of ['approve', 'refund']) {
      const { status, body } = await nora.post(`/escrow/${step}`, { conversation_id, ...parties });
      assert.deepEqual([status, body.code], [403, 'forbidden'], step);
    }
    assert.equal((await alice.client.deal(conversation_id)).state, 'delivered');
  });

  it('a lock goes on as the same transaction after a restart', async () => {
    const conversation_id = await accepted(alice, bob);
    const before = await usdcOf(alice);
    rpc.lost.add('sendTransaction');
    const locking = alice.post('/escrow/lock', { conversation_id }).catch(() => undefined);
    await happens('the lock is on its way', async () => (rpc.passed['simulateTransaction'] ?? 0) > 0 || undefined);
    await new Promise((done) => setTimeout(done, 500));
    await alice.restart();
    await locking;
    rpc.lost.delete('sendTransaction');
    const deal = await alice.dealWhen(conversation_id, (one) => events(one).includes('locked'));
    assert.equal(events(deal).filter((event) => event === 'locked').length, 1);
    assert.equal(before - (await usdcOf(alice)), 2_250_000n);
    await bob.dealWhen(conversation_id, (one) => events(one).includes('locked'));
  });

  /** A step that the agent's key takes without its node. */
  async function behindItsBack(member: Member, step: SettlementStep): Promise<void> {
    const ledger = member.node.get(Ledger);
    const prepared = await ledger.settlement!.prepare(step, [ledgerSigner(member.node.get(Identity))]);
    assert.equal((await ledger.submit(prepared)).status, 'confirmed');
  }

  it('an amount locked on other terms does not count', async () => {
    const wrong: object[] = [
      { amount: 1n, bond: 0n },
      { bond: 0n },
      { notary: nora.id },
      { terms: 'ab'.repeat(32) },
      { reviewSecs: HOUR },
      { disputeBps: 1 },
    ];
    for (const changed of wrong) {
      const conversation_id = await accepted(alice, bob);
      const { deal } = await alice.node.get(DealBook).get(conversation_id);
      await behindItsBack(alice, { type: 'lock', ...agreedLock(agreementOf(deal)), ...changed });
      const name = escrowName(deal);
      await bob.node.get(Escrows).open!.watch.look((await bob.node.get(DealBook).get(conversation_id)).deal);
      assert.ok(await bob.node.get(Ledger).settlement!.escrow(name));
      const theirs = await bob.client.deal(conversation_id);
      assert.deepEqual(
        [theirs.state, events(theirs).includes('locked')],
        ['accepted', false],
        JSON.stringify(Object.keys(changed)),
      );
    }
  });

  it('a lock in the last half of the agreed time does not count', async () => {
    const conversation_id = await accepted(alice, bob, { deadline_secs: 600 });
    const { deal } = await alice.node.get(DealBook).get(conversation_id);
    mesh.advance(310);
    await behindItsBack(alice, { type: 'lock', ...agreedLock(agreementOf(deal)) });
    await bob.node.get(Escrows).open!.watch.look((await bob.node.get(DealBook).get(conversation_id)).deal);
    assert.equal(events(await bob.client.deal(conversation_id)).includes('locked'), false);
  });

  it('a delivery on the ledger that was never sent is disputed by the requester by half of the review', async () => {
    const conversation_id = await locked({ review_secs: 2 * HOUR });
    const { deal } = await bob.node.get(DealBook).get(conversation_id);
    await behindItsBack(bob, { type: 'deliver', ...escrowName(deal), delivery: 'ee'.repeat(32) });
    await alice.dealWhen(conversation_id, (one) => events(one).includes('escrow_delivered'));
    mesh.advance(HOUR - 60);
    await new Promise((done) => setTimeout(done, 3_000));
    assert.equal(events(await alice.client.deal(conversation_id)).includes('escrow_disputed'), false);
    mesh.advance(120);
    await alice.dealWhen(conversation_id, (one) => events(one).includes('escrow_disputed'));
  });

  it('a crash after a step was sent and before it was confirmed does it once', async () => {
    const conversation_id = await locked();
    rpc.lost.add('getSignatureStatuses');
    await bob.client.deliver({ conversation_id, content: '{}', content_type: 'application/json' });
    const deal = await alice.dealWhen(conversation_id, (one) => events(one).includes('escrow_delivered'));
    assert.equal(deal.state, 'delivered');
    await bob.restart();
    rpc.lost.delete('getSignatureStatuses');
    const theirs = await bob.dealWhen(conversation_id, (one) => events(one).includes('escrow_delivered'));
    assert.equal(events(theirs).filter((event) => event === 'escrow_delivered').length, 1);
  });
});
