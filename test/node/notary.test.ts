import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';

describe('a notary', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob' | 'nora' | 'carol' | 'dave'>;
  /** What the notary's node asks of the ledger. */
  let rpc: RpcProxy;
  before(async () => {
    rpc = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'nora', 'carol', 'dave'],
      usdc: { alice: '50', carol: '20' },
      rpcUrl(url, name) {
        rpc.target = url;
        return name === 'nora' ? rpc.url : url;
      },
      own: { carol: { core: { deals: { followVerdict: false } } } },
    });
  });
  after(async () => {
    await mesh?.stop();
    await rpc.stop();
  });

  /** The notary's case of a conversation, once these have assigned it. */
  async function caseWhen(conversation: string, by: readonly string[]): Promise<any> {
    return happens(`a case that ${by.length} have assigned`, async () => {
      const cases: any[] = (await mesh.nodes.nora.get('/notarize/cases')).body;
      const all = cases.filter(({ conversation_id }) => conversation_id === conversation);
      return all.find(({ assigned_by }) => by.every((one) => assigned_by.includes(one)));
    });
  }

  /** A deal of 2 USDC with nora as notary, locked and delivered. */
  async function delivered(requester: Member = mesh.nodes.alice, more: object = {}): Promise<string> {
    const { bob, nora } = mesh.nodes;
    const alice = requester;
    const terms = { recipient: bob.id, amount_usdc: '2', message: 'Count.', notary: nora.id, escrow: true, ...more };
    const { conversation_id } = await alice.client.propose(terms);
    await bob.dealWhen(conversation_id, 'proposed');
    await bob.client.accept({ conversation_id });
    await alice.dealWhen(conversation_id, 'accepted');
    const lock = await alice.post('/escrow/lock', { conversation_id });
    assert.equal(lock.status, 200, JSON.stringify(lock.body));
    await caseWhen(conversation_id, [alice.id, bob.id]);
    await bob.dealWhen(conversation_id, (deal) => deal.allowed_actions.includes('deliver'));
    const early = await nora.post('/verdict', { conversation_id, outcome: 'approve' });
    assert.deepEqual([early.status, early.body.code], [409, 'invalid_transition']);
    await bob.client.deliver({ conversation_id, content: '1200' });
    const settlement = nora.node.get(Ledger)!.settlement!;
    const name = { requester: alice.id, provider: bob.id, conversation: conversation_id };
    await happens(
      'a delivery on the ledger',
      async () => (await settlement.escrow(name))?.state === 'delivered' || undefined,
    );
    return conversation_id;
  }

  async function usdc(name: 'alice' | 'bob'): Promise<bigint> {
    return mesh.nodes.nora.node.get(Ledger)!.usdc(mesh.nodes[name].id);
  }

  it('is told of its case by the nodes of both parties, once the amount is locked', async () => {
    const { alice, nora, bob } = mesh.nodes;
    const conversation = await delivered();
    // The case shows the escrow once the notary's node has looked at the ledger.
    const found = await happens('a case with its escrow', async () => {
      const [newest] = (await nora.get('/notarize/cases')).body;
      return newest.escrow ? newest : undefined;
    });
    assert.deepEqual(
      { ...found, assigned_by: [...found.assigned_by].sort() },
      {
        case_id: found.case_id,
        conversation_id: conversation,
        requester: alice.id,
        provider: bob.id,
        assigned_by: [alice.id, bob.id].sort(),
        opened_at: found.opened_at,
        known: true,
        escrow: { state: 'running' },
        verdict: null,
      },
    );
  });

  it('is assigned by a party before anything is locked', async () => {
    const { alice, bob, nora } = mesh.nodes;
    const terms = { recipient: bob.id, amount_usdc: '2', message: 'Count.', notary: nora.id, escrow: true };
    const { conversation_id } = await alice.client.propose(terms);
    await bob.dealWhen(conversation_id, 'proposed');
    await bob.client.accept({ conversation_id });
    await alice.dealWhen(conversation_id, 'accepted');
    assert.equal((await alice.post('/notarize/assign', { conversation_id })).status, 200);
    const { assigned_by } = await caseWhen(conversation_id, [alice.id]);
    assert.deepEqual(assigned_by, [alice.id]);
  });

  it('has its approval followed by the node of the requester, and moves nothing itself', async () => {
    const { alice, bob, nora } = mesh.nodes;
    const conversation_id = await delivered();
    const before = await usdc('bob');
    const { status, body } = await nora.post('/verdict', {
      conversation_id,
      outcome: 'approve',
      reason: 'I have counted.',
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.verdict.outcome, body.verdict.escrow, body.verdict.envelopes.length], ['approve', 'due', 2]);
    for (const node of [alice, bob]) {
      const { history } = await node.dealWhen(conversation_id, 'settled');
      assert.deepEqual(
        history.filter(({ event }: { event: string }) => event === 'released').map(({ by }: { by: string }) => by),
        [alice.id],
      );
    }
    assert.equal((await usdc('bob')) - before, 2_000_000n);
    const other = await nora.post('/verdict', { conversation_id, outcome: 'reject' });
    assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
    await happens('a case that knows its end', async () => {
      const cases = (await nora.get('/notarize/cases')).body;
      const one = cases.find((each: any) => each.conversation_id === conversation_id);
      return one.verdict.escrow === 'released' || undefined;
    });
  });

  it('has its rejection followed by a dispute at 0, which stands when the provider does not contest', async () => {
    const { alice, bob, nora } = mesh.nodes;
    const conversation_id = await delivered();
    const before = await usdc('alice');
    assert.equal((await nora.post('/verdict', { conversation_id, outcome: 'reject' })).status, 200);
    const disputed = await bob.dealWhen(conversation_id, 'disputed');
    assert.equal(disputed.escrow.offer_bps, 0);
    assert.equal((await bob.post('/escrow/refund', { conversation_id })).status, 200);
    await alice.dealWhen(conversation_id, 'refunded');
    assert.equal((await usdc('alice')) - before, 3_000_000n, 'the amount and the bond');
  });

  it('is not followed by a requester whose owner wants to decide alone', async () => {
    const { bob, nora, carol } = mesh.nodes;
    const conversation_id = await delivered(carol);
    const word = { conversation_id, outcome: 'completed', reasoning: 'I have counted.' };
    const { status, body: given } = await nora.post('/verdict', word);
    assert.deepEqual([status, given.verdict.outcome], [200, 'approve'], 'in the words of clients');
    for (const outcome of ['partial', 'failed', 0, 1]) {
      const other = await nora.post('/verdict', { conversation_id, outcome });
      assert.equal(other.body.code, 'conflict', 'which would be a reject');
    }
    assert.equal((await nora.post('/verdict', { conversation_id, outcome: 2 })).status, 200);
    const twice = await nora.post('/verdict', { ...word, reason: 'x' });
    assert.deepEqual([twice.status, twice.body.fields[0].pointer], [400, '/reasoning']);
    await carol.dealWhen(conversation_id, 'verdict');
    await new Promise((done) => setTimeout(done, 3_000));
    assert.equal((await bob.client.deal(conversation_id)).state, 'verdict');
    const { body } = await carol.get(`/escrow/${conversation_id}`);
    assert.equal(body.state, 'delivered');
  });

  it('loses no verdict to an RPC that lags: the case stays due, and is carried out when there is something to do', async () => {
    const { alice, bob, nora } = mesh.nodes;
    const conversation_id = await delivered();
    rpc.changed.set('getMultipleAccounts', async (call) => {
      const answer = await call.pass();
      return { ...answer, result: { ...answer.result, value: call.params[0].map(() => null) } };
    });
    rpc.answer('getSignaturesForAddress', () => []);
    assert.equal((await nora.post('/verdict', { conversation_id, outcome: 'reject' })).status, 200);
    await bob.dealWhen(conversation_id, 'disputed');
    await new Promise((done) => setTimeout(done, 12_000));
    const [{ verdict }] = (await nora.get('/notarize/cases')).body;
    assert.equal(verdict.escrow, 'due');
    rpc.heal();
    assert.equal((await bob.post('/escrow/contest', { conversation_id })).status, 200);
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, 'decided');
  });

  it('rates each side once, after its verdict, and it counts', async () => {
    const { alice, bob, nora, carol } = mesh.nodes;
    const conversation_id = await delivered();
    const rate = (more: object) => nora.post('/feedback', { conversation_id, score: 70, ...more });
    const early = await rate({ target_agent: bob.id });
    assert.deepEqual([early.status, early.body.allowed_actions], [409, ['verdict']], JSON.stringify(early.body));
    assert.equal((await nora.post('/verdict', { conversation_id, outcome: 'approve' })).status, 200);
    for (const [more, pointer] of [
      [{}, '/target_agent'],
      [{ target_agent: carol.id }, '/target_agent'],
      [{ target_agent: bob.id, role: 'participant' }, '/role'],
    ] as const) {
      const wrong = await rate(more);
      assert.deepEqual([wrong.status, wrong.body.fields[0].pointer], [400, pointer]);
    }
    const first = await rate({ target_agent: bob.id });
    assert.deepEqual([first.status, first.body.feedback?.role_name], [200, 'notary'], JSON.stringify(first.body));
    const again = await rate({ target_agent: bob.id });
    assert.deepEqual([again.status, again.body.code], [409, 'invalid_transition']);
    const payload = { score: -20, target_agent: alice.id };
    const second = await nora.post('/envelopes/send', { msg_type: 'FEEDBACK', conversation_id, payload });
    assert.deepEqual([second.status, second.body.feedback?.role], [200, 1], JSON.stringify(second.body));
    await happens('both ratings count', async () => {
      const found: any = await (await fetch(`${mesh.aggregatorNode.url}/interactions?from=${nora.id}`)).json();
      const roles = found.map(({ target_agent, role }: any) => `${target_agent} ${role}`).sort();
      return roles.join() === [`${alice.id} notary`, `${bob.id} notary`].sort().join() || undefined;
    });
    const none = await carol.post('/feedback', { conversation_id, score: 1 });
    assert.deepEqual([none.status, none.body.code], [404, 'not_found']);
    assert.match(none.body.detail, /no party.*not its notary/);
  });

  it('that a stranger names first is assigned by the parties all the same, and judges their deal', async () => {
    const { alice, bob, nora, carol } = mesh.nodes;
    const conversation_id = 'ef'.repeat(16);
    /** Carol says that she has a deal with somebody in this conversation. */
    async function squat(provider: string, accepted: string): Promise<void> {
      const told = JSON.stringify({ requester: carol.id, provider, accepted: accepted.repeat(32) });
      const payload = { verifier: nora.id, opaque_b64: Buffer.from(told).toString('base64') };
      const body = { msg_type: 'NOTARIZE_ASSIGN', recipient: nora.id, conversation_id, payload };
      assert.equal((await carol.post('/envelopes/send', body)).status, 200);
    }
    await squat(bob.id, '0a');
    await squat(alice.id, '0b');
    await happens('two cases', async () => {
      const cases: any[] = (await nora.get('/notarize/cases')).body;
      return cases.filter((one) => one.conversation_id === conversation_id).length === 2 || undefined;
    });
    const unclear = await nora.post('/verdict', { conversation_id, outcome: 'reject' });
    assert.deepEqual([unclear.status, unclear.body.code], [409, 'conflict']);
    assert.match(
      unclear.body.detail,
      new RegExp(`^2 pairs of agents .*case_id, such as ${conversation_id}-[0-9a-f]{32},`),
    );
    const other = await nora.post('/verdict', { conversation_id, outcome: 'reject', case_id: 'ab'.repeat(16) });
    assert.deepEqual([other.status, other.body.code], [404, 'not_found']);

    await delivered(alice, { conversation_id });
    const { case_id } = await caseWhen(conversation_id, [alice.id, bob.id]);
    const { status, body } = await nora.post('/verdict', { conversation_id, outcome: 'approve' });
    assert.deepEqual([status, body.case_id, body.verdict?.envelopes.length], [200, case_id, 2], JSON.stringify(body));
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, 'settled');
    const same = await nora.post('/verdict', { conversation_id, outcome: 'approve', case_id });
    assert.deepEqual([same.status, same.body.verdict.at], [200, body.verdict.at]);
    const rated = await nora.post('/feedback', { conversation_id, score: 10, target_agent: bob.id });
    assert.deepEqual([rated.status, rated.body.feedback?.role_name], [200, 'notary'], JSON.stringify(rated.body));
    const stranger = await nora.post('/feedback', { conversation_id, score: 10, target_agent: carol.id });
    assert.deepEqual([stranger.status, stranger.body.fields[0].pointer], [400, '/target_agent']);
  });

  it('shows cases that strangers open behind those that it has to do with, a page at a time', async () => {
    const { alice, nora, dave } = mesh.nodes;
    const listed = async (query = ''): Promise<any[]> => (await nora.get(`/notarize/cases${query}`)).body;
    const before = await listed();
    const own = before.filter(({ known }) => known).length;
    const told = { requester: dave.id, provider: alice.id, accepted: '0c'.repeat(32) };
    const payload = { verifier: nora.id, opaque_b64: Buffer.from(JSON.stringify(told)).toString('base64') };
    for (const digits of ['1a', '1b', '1c']) {
      const body = { msg_type: 'NOTARIZE_ASSIGN', recipient: nora.id, conversation_id: digits.repeat(16), payload };
      assert.equal((await dave.post('/envelopes/send', body)).status, 200);
    }
    const all = await happens('three more cases', async () => {
      const cases = await listed();
      return cases.length === before.length + 3 ? cases : undefined;
    });
    for (const [isKnown, part] of [[true, all.slice(0, own)] as const, [false, all.slice(own)] as const]) {
      assert.ok(part.every(({ known }) => known === isKnown));
      const times = part.map(({ opened_at }) => opened_at);
      assert.deepEqual(times, [...times].sort().reverse(), 'the newest first');
    }
    const paged: any[] = [];
    for (let page = await listed('?limit=2'); page.length > 0; ) {
      paged.push(...page);
      page = await listed(`?limit=2&after=${page.at(-1).case_id}`);
    }
    assert.deepEqual(paged, all);
    const { status, body } = await nora.get(`/notarize/cases?after=${'ab'.repeat(16)}`);
    assert.deepEqual([own > 2, status, body.fields[0].pointer], [true, 400, '/after']);
  });

  it('judges nothing it was not assigned, and is assigned only where the terms name it', async () => {
    const { alice, bob, nora } = mesh.nodes;
    const unknown = await nora.post('/verdict', { conversation_id: 'ab'.repeat(16), outcome: 'approve' });
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found']);
    const { conversation_id } = await alice.client.propose({ recipient: bob.id, amount_usdc: '1', message: 'Hello.' });
    const none = await alice.post('/notarize/assign', { conversation_id });
    assert.deepEqual([none.status, none.body.code], [409, 'invalid_transition']);
  });

  it('is looked for and offers itself in public', async () => {
    const { alice, nora } = mesh.nodes;
    const conversation_id = 'cd'.repeat(16);
    const asked = await alice.post('/notarize/bid', { conversation_id, kind: 'request' });
    const offered = await nora.post('/notarize/bid', { conversation_id, kind: 'offer', note: '0.1 USDC' });
    assert.deepEqual([asked.body.status, offered.body.status], ['broadcast', 'broadcast']);
  });
});
