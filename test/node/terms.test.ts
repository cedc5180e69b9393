import assert from 'node:assert/strict';
import { accepted, proposed } from '../support/deals.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

describe('the terms of a dispute in offers', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob' | 'nora'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'nora'],
      usdc: { alice: '100' },
      own: { bob: { core: { deals: { partnerStart: '5', partnerLimit: '100' } } } },
    });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh?.stop());

  const terms = ({ amount_usdc, bond_usdc, dispute_bps, notary, review_secs, deadline_secs }: any) => ({
    ...{ amount_usdc, bond_usdc, dispute_bps, notary, review_secs, deadline_secs },
  });
  const pointerOf = (body: any) => body.errors?.[0]?.pointer ?? body.fields?.[0]?.pointer;

  it('are half of the amount as bond and no floor, unless the offer says otherwise', async () => {
    const usual = await bob.client.deal(await proposed(alice, bob, { amount_usdc: '2' }));
    assert.deepEqual([usual.bond_usdc, usual.bond_usdc_micro, usual.dispute_bps], ['1', 1_000_000, 0]);
    assert.equal(usual.acceptance, undefined);
    const acceptance = 'Ab'.repeat(32);
    const own = await proposed(alice, bob, {
      ...({ amount_usdc: '2', bond_usdc_micro: 3, dispute_bps: 2_500, acceptance } as object),
    });
    const seen = await bob.client.deal(own);
    assert.deepEqual(
      [seen.bond_usdc, seen.dispute_bps, seen.acceptance],
      ['0.000003', 2_500, acceptance.toLowerCase()],
    );
  });

  it('can be changed by a counter: bond, floor, notary, deadline and review; what it leaves out stays', async () => {
    const conversation_id = await proposed(alice, bob, { amount_usdc: '2', deadline_secs: 7_200 });
    const { nora } = mesh.nodes;
    const wish = { bond_usdc: '0.5', dispute_bps: 1_000, notary: nora.id, review_secs: 7_200 };
    const answer = await bob.post('/negotiate/counter', { conversation_id, amount_usdc: '3', ...wish });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const countered = await alice.dealWhen(conversation_id, 'countered');
    assert.deepEqual(terms(countered), { amount_usdc: '3', deadline_secs: 7_200, ...wish });
    await alice.client.accept({ conversation_id });
    const lock = await alice.post('/escrow/lock', { conversation_id });
    assert.equal(lock.status, 200, JSON.stringify(lock.body));
    const { body } = await alice.get(`/escrow/${conversation_id}`);
    assert.deepEqual(
      [body.amount_usdc, body.bond_usdc, body.dispute_bps, body.notary, body.review_secs],
      ['3', '0.5', 1_000, nora.id, 7_200],
    );
  });

  it('are refused with their field when they are no terms at all', async () => {
    const offer = { recipient: bob.id, amount_usdc: '1', message: 'Count.' };
    for (const [pointer, wish] of [
      ['/bond_usdc_micro', { bond_usdc: '1', bond_usdc_micro: 1 }],
      ['/bond_usdc', { bond_usdc: '-1' }],
      ['/dispute_bps', { dispute_bps: 10_001 }],
      ['/acceptance', { acceptance: 'ab' }],
      ['/notary', { notary: 'nobody' }],
    ] as const) {
      const { status, body } = await alice.post('/negotiate/propose', { ...offer, ...wish });
      assert.deepEqual([status, pointerOf(body)], [400, pointer], JSON.stringify(body));
    }
  });

  it('that can never stand are refused by the name the caller used, with what fits', async () => {
    const offer = { recipient: bob.id, amount_usdc: '1', message: 'Count.' };
    const conversation_id = await proposed(alice, bob, { amount_usdc: '1' });
    const refused = async (member: Member, path: string, request: object, pointer: string, fits: RegExp) => {
      const { status, body } = await member.post(path, request);
      assert.deepEqual([status, body.code, pointerOf(body)], [400, 'invalid_request', pointer], JSON.stringify(body));
      assert.match(body.detail, fits);
    };
    for (const [pointer, wish, fits] of [
      ['/bond_usdc', { bond_usdc: '2.000001' }, /twice the amount: 2 USDC \(2000000 minor units\)/],
      ['/bond_usdc_micro', { bond_usdc_micro: 2_000_001 }, /twice the amount: 2 USDC \(2000000 minor units\)/],
      ['/notary', { notary: bob.id }, /third party/],
      ['/notary', { notary: alice.id }, /third party/],
      ['/review_secs', { review_secs: 1_209_601 }, /1209600/],
      ['/deadline_secs', { deadline_secs: 7_776_001 }, /7776000/],
      ['/dispute_bps', { dispute_bps: 10_001 }, /10000/],
      ['/expires_at', { expires_at: '2020-01-01T00:00:00Z' }, /within 30 days/],
    ] as const) {
      await refused(alice, '/negotiate/propose', { ...offer, ...wish }, pointer, fits);
      await refused(bob, '/negotiate/counter', { conversation_id, amount_usdc: '1', ...wish }, pointer, fits);
    }
    const free = { ...offer, amount_usdc: '0', escrow: true };
    await refused(alice, '/negotiate/propose', free, '/escrow', /nothing to lock/);
    const counter = { conversation_id, amount_usdc_micro: 0 };
    await refused(bob, '/negotiate/counter', counter, '/amount_usdc_micro', /nothing to lock/);
  });

  it('that the ledger cannot lock are refused where escrow or a term of escrow is asked for', async () => {
    const { nora } = mesh.nodes;
    const offer = { recipient: bob.id, amount_usdc: '1', message: 'Count.' };
    for (const wish of [{ bond_usdc: '1' }, { notary: nora.id }, { dispute_bps: 5_000 }, { escrow: true }])
      for (const [pointer, times, allowed] of [
        ['/review_secs', { review_secs: 60 }, /3600/],
        ['/deadline_secs', { deadline_secs: 30 }, /120 to 7776000/],
      ] as const) {
        const { status, body } = await alice.post('/negotiate/propose', { ...offer, ...wish, ...times });
        assert.deepEqual([status, pointerOf(body)], [400, pointer], JSON.stringify({ wish, times, body }));
        assert.match(body.detail, allowed);
      }
    const { status, body } = await alice.post('/negotiate/propose', { ...offer, escrow: true, deadline_secs: 100 });
    assert.deepEqual([status, pointerOf(body)], [400, '/deadline_secs'], JSON.stringify(body));
    assert.match(body.detail, /120 to 7776000/);
    for (const plain of [{ review_secs: 60 }, { review_secs: 60, escrow: false, notary: nora.id }]) {
      const open = await alice.post('/negotiate/propose', { ...offer, ...plain });
      assert.deepEqual([open.status, open.body.deal?.escrow.agreed], [200, false], JSON.stringify(open.body));
    }
  });

  it('show each side what it risks before ACCEPT, and not after', async () => {
    const conversation_id = await proposed(alice, bob, { amount_usdc: '4' });
    const [ours, theirs] = [await alice.client.deal(conversation_id), await bob.client.deal(conversation_id)];
    assert.deepEqual(
      [ours.risk!.locks_usdc, ours.risk!.silent_usdc, ours.risk!.worst_usdc, ours.risk!.answer_secs],
      ['6', '4', '6', 259_200],
    );
    assert.equal(ours.risk!.texts[0], 'You lock 6.');
    assert.deepEqual([theirs.risk!.locks_usdc, theirs.risk!.worst_usdc], ['0', '0']);
    assert.equal(theirs.risk!.texts[0], 'You never pay USDC.');
    await bob.client.accept({ conversation_id });
    assert.equal((await bob.client.deal(conversation_id)).risk, undefined);
  });

  it('bind a provider only within the limit for that requester, by ACCEPT, COUNTER or a plain envelope', async () => {
    const refused = async (answer: Promise<{ status: number; body: any }>, why: RegExp) => {
      const { status, body } = await answer;
      assert.deepEqual([status, body.code], [409, 'invalid_transition'], JSON.stringify(body));
      assert.match(body.detail, why);
      assert.deepEqual(body.allowed_actions, ['counter', 'reject']);
    };
    const large = await proposed(alice, bob, { amount_usdc: '5.000001' });
    await refused(
      bob.post('/negotiate/accept', { conversation_id: large }),
      /worth 5 USDC .*core\.deals\.partnerStart/,
    );
    await refused(bob.post('/negotiate/counter', { conversation_id: large, amount_usdc: '6' }), /worth 5 USDC/);
    const offer_id = (await bob.client.deal(large)).history[0]!.envelope_id;
    const payload = { amount_usdc_micro: 5_000_001, offer_id };
    const envelope = { msg_type: 'ACCEPT', recipient: alice.id, conversation_id: large, payload };
    await refused(bob.post('/envelopes/send', envelope), /worth 5 USDC/);
    const bare = await proposed(alice, bob, { amount_usdc: '5', ...({ bond_usdc: '2' } as object) });
    await refused(bob.post('/negotiate/accept', { conversation_id: bare }), /bond of at least 2\.5 USDC or a notary/);
    assert.equal(
      (await bob.post('/negotiate/counter', { conversation_id: bare, amount_usdc: '5', bond_usdc: '2.5' })).status,
      200,
    );
    await accepted(alice, bob, { amount_usdc: '5' });
  });
});
