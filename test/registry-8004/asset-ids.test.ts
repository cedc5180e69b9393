import assert from 'node:assert/strict';
import { registry8004Plugin } from '../../plugins/registry8004/index.ts';
import { ask, Guest } from '../plugins/hosting/support/hosted.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { RegistryStandIn } from '../upstreams/registry-8004/stand-in.ts';

const MINUTE = 60;

describe('an agent that is named by its asset', function () {
  this.timeout(180_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  let registry: RegistryStandIn;
  let rpc: RpcProxy;
  let asset: string;

  before(async () => {
    rpc = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      storage: 'lowdb',
      isolated: true,
      usdc: { alice: '100', bob: '1' },
      programs: RegistryStandIn.programs(),
      plugins: { alice: [registry8004Plugin], bob: [registry8004Plugin], aggregator: [registry8004Plugin] },
      own: {
        alice: {
          plugins: { registry8004: { gate: false }, hosting: { hostAgents: true, registrationsPerMinute: 6_000 } },
        },
        bob: { plugins: { registry8004: { gate: false } } },
      },
      rpcUrl(url, name) {
        rpc.target = url;
        return name === 'alice' ? rpc.url : url;
      },
    });
    ({ alice, bob } = mesh.nodes);
    registry = await RegistryStandIn.on(mesh.localnet);
    asset = await registry.add(bob.id);
  });
  afterEach(() => rpc.heal());
  after(async () => {
    await mesh?.stop();
    await rpc?.stop();
  });

  const propose = (recipient: string) =>
    alice.post('/negotiate/propose', { recipient, amount_usdc: '1', message: 'Count.' });
  const accepted = async (recipient: string) => {
    const { status, body } = await propose(recipient);
    assert.equal(status, 200, JSON.stringify(body));
    const conversation_id: string = body.conversation_id;
    const answered = await happens('bob accepts', async () => {
      const { status } = await bob.post('/negotiate/accept', { conversation_id });
      return status === 200 ? true : undefined;
    });
    assert.ok(answered);
    await happens('alice knows', async () => {
      const { state } = (await alice.get(`/deals/${conversation_id}`)).body;
      return state === 'accepted' ? true : undefined;
    });
    return conversation_id;
  };

  it('gets a message, and a deal with escrow and a rating that names it', async () => {
    const said = await alice.post('/envelopes/send', {
      msg_type: 'MESSAGE',
      recipient: asset,
      payload: { text: 'hello' },
    });
    assert.equal(said.status, 200, JSON.stringify(said.body));
    await happens('bob has it', async () =>
      JSON.stringify((await bob.get('/inbox')).body).includes(said.body.envelope_id) ? true : undefined,
    );
    const conversation_id = await accepted(asset);
    const { body: deal } = await alice.get(`/deals/${conversation_id}`);
    assert.equal(deal.provider, bob.id);
    const locked = await alice.post('/escrow/lock', { conversation_id, provider: asset });
    assert.equal(locked.status, 200, JSON.stringify(locked.body));
    const delivered = await happens('bob delivers', async () => {
      const { status } = await bob.post('/deliver', { conversation_id, content: 'three' });
      return status === 200 ? true : undefined;
    });
    assert.ok(delivered);
    await happens('alice releases', async () =>
      (await alice.post('/escrow/approve', { conversation_id })).status === 200 ? true : undefined,
    );
    const rating = { conversation_id, target_agent: asset, score: 70 };
    const rated = await happens('alice rates', async () => {
      const answer = await alice.post('/envelopes/send', { msg_type: 'FEEDBACK', recipient: asset, payload: rating });
      return answer.status === 200 ? answer : undefined;
    });
    assert.equal(rated.body.feedback.target_agent, bob.id);
    assert.equal((await alice.get(`/reputation/${asset}`)).body.agent_id, bob.id);
  });

  it('is refused with its field when the asset is burned, and when the registry cannot be asked', async () => {
    const burned = await registry.add(bob.id);
    await registry.burn(burned);
    const gone = await propose(burned);
    assert.deepEqual([gone.status, gone.body.fields?.[0].pointer], [400, '/recipient'], JSON.stringify(gone.body));
    rpc.lost.add('getMultipleAccounts');
    mesh.advance(2 * MINUTE);
    const unknown = await propose(asset);
    assert.deepEqual([unknown.status, unknown.body.code], [503, 'ledger_unavailable']);
    assert.equal(unknown.body.fields[0].pointer, '/recipient');
    // What binds nothing goes by the answer of today.
    assert.equal((await alice.post('/message', { recipient: asset, text: 'hello' })).status, 200);
    // Bob's node has signed BEACONs with its key, so a message needs nobody's word.
    assert.equal((await alice.post('/message', { recipient: bob.id, text: 'hello' })).status, 200);
    // A party of a deal goes on with it: its key was found when it was offered.
    const open = await alice.post('/envelopes/send', {
      msg_type: 'COUNTER',
      recipient: bob.id,
      conversation_id: 'ab'.repeat(16),
      payload: {},
    });
    assert.notEqual(open.body.code, 'ledger_unavailable', JSON.stringify(open.body));
    const never = await alice.post('/message', { recipient: burned.replace(/^./, '2'), text: 'hello' });
    assert.equal(never.body.code, 'ledger_unavailable');
  });

  it('is paid nothing once another key signs for it, nor while nobody can say so', async () => {
    const sold = await registry.add(bob.id);
    const conversation_id = await accepted(sold);
    mesh.advance(MINUTE + 1);
    rpc.lost.add('getMultipleAccounts');
    const unknown = await alice.post('/escrow/lock', { conversation_id });
    assert.equal(unknown.body.code, 'ledger_unavailable', JSON.stringify(unknown.body));
    rpc.heal();
    await registry.sell(sold, alice.id);
    mesh.advance(MINUTE + 1);
    const refused = await alice.post('/escrow/lock', { conversation_id });
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], JSON.stringify(refused.body));
    assert.match(refused.body.detail, new RegExp(`signs no more for ${sold}`));
    assert.equal((await alice.get(`/deals/${conversation_id}`)).body.escrow_locked ?? false, false);
  });

  it('is held to the asset that the deal was offered to, whichever other asset of its key was asked about later', async () => {
    const sold = await registry.add(bob.id);
    const conversation_id = await accepted(sold);
    const byKey = await accepted(bob.id);
    await registry.sell(sold, alice.id);
    mesh.advance(MINUTE + 1);
    assert.equal((await alice.post('/message', { recipient: asset, text: 'hello' })).status, 200);
    const refused = await alice.post('/escrow/lock', { conversation_id });
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], JSON.stringify(refused.body));
    // Whoever names the key deals with the key.
    const locked = await alice.post('/escrow/lock', { conversation_id: byKey });
    assert.equal(locked.status, 200, JSON.stringify(locked.body));
  });

  it('is held to its asset when it accepts an agreement with a requester who named it', async () => {
    const sold = await registry.add(bob.id);
    const { body } = await propose(sold);
    const { conversation_id } = body;
    await happens('bob asks for more', async () => {
      const { status } = await bob.post('/negotiate/counter', { conversation_id, amount_usdc: '2' });
      return status === 200 ? true : undefined;
    });
    await happens('alice knows', async () =>
      (await alice.get(`/deals/${conversation_id}`)).body.state === 'countered' ? true : undefined,
    );
    await registry.sell(sold, alice.id);
    mesh.advance(MINUTE + 1);
    for (const [path, words] of [
      ['/negotiate/accept', { conversation_id }],
      [
        '/envelopes/send',
        { msg_type: 'ACCEPT', recipient: bob.id, conversation_id, payload: { amount_usdc_micro: 2_000_000 } },
      ],
    ] as const) {
      const refused = await alice.post(path, words);
      assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], JSON.stringify(refused.body));
    }
  });

  it('gets offers of hosted agents, which are held to it as well', async () => {
    const guest = await Guest.register(() => alice);
    const sold = await registry.add(bob.id);
    const offer = { recipient: sold, amount_usdc: '0', message: 'Count for nothing.' };
    const proposed = await guest.call('POST /hosted/negotiate/propose', offer);
    assert.equal(proposed.status, 200, JSON.stringify(proposed.body));
    assert.equal(proposed.body.deal.provider, bob.id);
    const { conversation_id } = proposed.body;
    await happens('bob asks for something else', async () => {
      const words = { conversation_id, amount_usdc: '0', message: 'Twice.' };
      return (await bob.post('/negotiate/counter', words)).status === 200 ? true : undefined;
    });
    await guest.dealWhen(conversation_id, 'countered');
    await registry.sell(sold, alice.id);
    mesh.advance(MINUTE + 1);
    const refused = await guest.call('POST /hosted/negotiate/accept', { conversation_id });
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], JSON.stringify(refused.body));
  });

  it('stays itself where nobody acts upon the agent: in the list of exempt ids, and in cursors', async () => {
    assert.equal((await alice.post('/admin/exempt', { agent_id: asset })).body.agent_id, asset);
    const { body } = await alice.get('/admin/exempt');
    assert.deepEqual(body.exempt_agents, [asset]);
    assert.deepEqual((await alice.get(`/admin/exempt?after=${asset}`)).body.exempt_agents, []);
    await ask(alice.url, `DELETE /admin/exempt/${asset}`, alice.secret);
    assert.deepEqual((await alice.get('/admin/exempt')).body.exempt_agents, []);
  });

  it('is found at an aggregator by its asset, once its BEACON said it and the registry confirms it', async () => {
    await bob.restart();
    const read = async (path: string) => {
      const answer = await fetch(`${mesh.aggregatorNode.url}${path}`);
      return { status: answer.status, body: (await answer.json()) as any };
    };
    const found = await happens('the aggregator knows', async () => {
      const { status, body } = await read(`/agents/${asset}`);
      return status === 200 ? body : undefined;
    });
    assert.equal(found.agent_id, bob.id);
    assert.equal((await read(`/reputation/${asset}`)).body.agent_id, bob.id);
    assert.equal((await read(`/agents/${await registry.add(alice.id)}`)).status, 404);
  });
});
