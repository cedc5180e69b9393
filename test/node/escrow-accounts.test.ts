import assert from 'node:assert/strict';
import { Identity, Ledger, RecordedTransactions } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { escrowTransaction } from '../../core/node/escrow/escrow-steps.ts';
import { DealBook } from '../../core/node/services/deal-book.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import { escrowName } from '../../core/protocol/deals/agreed-lock.ts';
import { accepted } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';

const HOUR = 3_600;

describe('the duties of an escrow follow its account', function () {
  this.timeout(120_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  /** Steps on the ledger that failed. */
  let failed = 0;
  const log: Log = {
    ...silentLog,
    child: () => log,
    warn(_: unknown, text?: string) {
      if (text?.startsWith('a step on the ledger failed')) failed += 1;
    },
  };
  /** What the requester's node asks of the ledger. */
  let rpc: RpcProxy;
  before(async () => {
    rpc = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      storage: 'lowdb',
      usdc: { alice: '100' },
      log,
      rpcUrl(url, name) {
        rpc.target = url;
        return name === 'alice' ? rpc.url : url;
      },
    });
    ({ alice, bob } = mesh.nodes);
  });
  afterEach(() => rpc.heal());
  after(async () => {
    await mesh?.stop();
    await rpc.stop();
  });

  const events = (deal: { history: { event: string }[] }) => deal.history.map(({ event }) => event);
  const eventsOf = async (member: Member, conversation: string) => events(await member.client.deal(conversation));

  /** As from a node that has lost its history: no signature of any address. */
  function hideHistory() {
    rpc.answer('getSignaturesForAddress', () => []);
  }

  /** As if none of the accounts were there. */
  function hideAccounts() {
    rpc.changed.set('getMultipleAccounts', async (call) => {
      const answer = await call.pass();
      return { ...answer, result: { ...answer.result, value: call.params[0].map(() => null) } };
    });
  }

  async function locked(terms: object = {}): Promise<string> {
    const conversation_id = await accepted(alice, bob, terms);
    const answer = await alice.post('/escrow/lock', { conversation_id });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, (deal) => events(deal).includes('locked'));
    return conversation_id;
  }

  async function namesNothing(conversation_id: string) {
    const { deal } = await bob.node.get(DealBook).get(conversation_id);
    const ledger = bob.node.get(Ledger);
    const step = { type: 'deliver', ...escrowName(deal), delivery: 'ee'.repeat(32) } as const;
    const prepared = await ledger.settlement!.prepare(step, [ledgerSigner(bob.node.get(Identity))]);
    assert.equal((await ledger.submit(prepared)).status, 'confirmed');
  }

  it('so a delivery whose events are hidden is disputed all the same, and nothing can be claimed', async () => {
    const conversation_id = await locked({ review_secs: 2 * HOUR });
    hideHistory();
    await namesNothing(conversation_id);
    await alice.dealWhen(conversation_id, (deal) => events(deal).includes('escrow_delivered'));
    mesh.advance(HOUR + 60);
    await bob.dealWhen(conversation_id, (deal) => events(deal).includes('escrow_disputed'));
    mesh.advance(HOUR + 60);
    const claim = await bob.post('/escrow/claim', { conversation_id });
    assert.ok(claim.status >= 400, JSON.stringify(claim.body));
    await bob.dealWhen(conversation_id, 'refunded');
  });

  it('so one that no read shows is not over, without an end in its history; and what comes later counts', async () => {
    const conversation_id = await locked({ deadline_secs: 4 * HOUR });
    hideAccounts();
    hideHistory();
    const missing = await happens('the view says that the account is missing', async () => {
      mesh.advance(20);
      await new Promise((done) => setTimeout(done, 500));
      const deal = await alice.client.deal(conversation_id);
      return deal.escrow.missing_since === undefined ? undefined : deal;
    });
    assert.equal(missing.state, 'accepted');
    rpc.heal();
    await alice.dealWhen(conversation_id, (deal) => deal.escrow.missing_since === undefined);
    await bob.client.deliver({ conversation_id, content: '{}', content_type: 'application/json' });
    await alice.dealWhen(conversation_id, (deal) => events(deal).includes('escrow_delivered'));
  });

  it('so an answer from an earlier slot ends nothing, even with an end in its history', async () => {
    const conversation_id = await locked();
    const { slot } = await alice.node.get(Ledger).settlement!.time();
    const lagging = slot - 1_000;
    rpc.changed.set('getMultipleAccounts', async (call) => {
      const { result, ...answer } = await call.pass();
      return { ...answer, result: { context: { slot: lagging }, value: call.params[0].map(() => null) } };
    });
    assert.equal((await bob.post('/escrow/refund', { conversation_id })).status, 200);
    await bob.dealWhen(conversation_id, 'refunded');
    await new Promise((done) => setTimeout(done, 3_000));
    assert.equal((await alice.client.deal(conversation_id)).state, 'accepted');
    rpc.heal();
    await alice.dealWhen(conversation_id, 'refunded');
  });

  it('so the end of an earlier lock of the same name is not the end of this one', async () => {
    const conversation_id = await accepted(alice, bob);
    const { deal } = await alice.node.get(DealBook).get(conversation_id);
    const ledger = alice.node.get(Ledger);
    const settlement = ledger.settlement!;
    const signer = ledgerSigner(alice.node.get(Identity));
    const take = async (step: Parameters<typeof settlement.prepare>[0]) =>
      assert.equal((await ledger.submit(await settlement.prepare(step, [signer]))).status, 'confirmed');
    const { unixSeconds } = await settlement.time();
    const small = { amount: 1n, bond: 0n, notary: null, disputeBps: 0, reviewSecs: HOUR, terms: 'ab'.repeat(32) };
    await take({ type: 'lock', ...escrowName(deal), ...small, deadline: unixSeconds + 600 });
    await take({ type: 'approve', ...escrowName(deal) });
    const answer = await alice.post('/escrow/lock', { conversation_id });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    await bob.dealWhen(conversation_id, (one) => events(one).includes('locked'));
    assert.equal((await bob.post('/escrow/refund', { conversation_id })).status, 200);
    for (const node of [alice, bob]) {
      const { escrow } = await node.dealWhen(conversation_id, 'refunded');
      assert.equal(escrow.to_requester_usdc_micro, 2_250_000);
    }
  });

  it('so what came and went while a node was away is learnt from the history, once it is back', async () => {
    const conversation_id = await accepted(alice, bob);
    await bob.stop();
    const answer = await alice.post('/escrow/lock', { conversation_id });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal((await alice.post('/escrow/approve', { conversation_id })).status, 200);
    await alice.dealWhen(conversation_id, 'settled');
    await bob.start();
    const { history, escrow } = await bob.dealWhen(conversation_id, 'settled');
    assert.deepEqual(events({ history }).slice(-2), ['locked', 'released']);
    assert.deepEqual([escrow.to_provider_usdc_micro, escrow.to_requester_usdc_micro], [1_500_000, 750_000]);
  });

  it('so an RPC that is away for 18 minutes of a one-hour review does not cost the dispute', async () => {
    const conversation_id = await locked({ review_secs: HOUR });
    await namesNothing(conversation_id);
    await alice.dealWhen(conversation_id, (deal) => events(deal).includes('escrow_delivered'));
    for (const method of ['getLatestBlockhash', 'sendTransaction', 'simulateTransaction']) rpc.lost.add(method);
    mesh.advance(30 * 60);
    // Pauses that double would end at these moments, and the next one behind the review.
    for (const pause of [4, 8, 16, 32, 64, 128, 256, 512, 1]) {
      const before = failed;
      await happens('a try that fails', async () => failed > before || undefined);
      await new Promise((done) => setTimeout(done, 1_000));
      mesh.advance(pause);
    }
    assert.equal((await eventsOf(alice, conversation_id)).includes('escrow_disputed'), false);
    rpc.heal();
    mesh.advance(120);
    await bob.dealWhen(conversation_id, (deal) => events(deal).includes('escrow_disputed'));
  });

  /** A lock of Alice that was sent in time and lands when it does not count any more. */
  async function lockedLate(): Promise<string> {
    const terms = { deadline_secs: 4 * HOUR, review_secs: 2 * HOUR };
    const conversation_id = await accepted(alice, bob, terms);
    rpc.lost.add('sendTransaction');
    const answer = alice.post('/escrow/lock', { conversation_id });
    await happens('the lock is sent', async () => {
      const { deal } = await alice.node.get(DealBook).get(conversation_id);
      return (
        (await alice.node.get(RecordedTransactions).find(escrowTransaction('lock', deal))) !== undefined || undefined
      );
    });
    mesh.advance(2 * HOUR + 60);
    rpc.lost.clear();
    assert.equal((await answer).status, 200);
    await alice.dealWhen(conversation_id, (deal) => events(deal).includes('locked'));
    return conversation_id;
  }

  it('so a lock that landed too late to count is taken back by the node that made it', async () => {
    const conversation_id = await lockedLate();
    const { state, reason, allowed_actions } = await alice.client.deal(conversation_id);
    assert.deepEqual([state, reason, allowed_actions], ['expired', 'not_locked', ['approve']]);
    assert.ok(!(await eventsOf(bob, conversation_id)).includes('locked'), 'the provider counts it');
    mesh.advance(2 * HOUR);
    await alice.dealWhen(conversation_id, (deal) => events(deal).includes('reclaimed'));
    const end = await alice.client.deal(conversation_id);
    assert.deepEqual([end.state, end.reason], ['expired', 'not_locked']);
    assert.equal(end.escrow.to_requester_usdc_micro, Number(end.amount_usdc_micro) + Number(end.bond_usdc_micro));
  });

  it('so nobody is paid for such a lock by naming a delivery that was never sent', async () => {
    const conversation_id = await lockedLate();
    await namesNothing(conversation_id);
    await alice.dealWhen(conversation_id, (deal) => events(deal).includes('escrow_delivered'));
    mesh.advance(HOUR + 60);
    await alice.dealWhen(conversation_id, (deal) => events(deal).includes('escrow_disputed'));
  });
});
