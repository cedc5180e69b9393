import assert from 'node:assert/strict';
import { Identity } from '../../core/internal-services.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { tokenClaims } from '../../core/protocol/signer/agent-token.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { newWallet } from '../support/wallet.ts';
import { hasMembers, lacks } from './support/words.ts';

const SOL = 1_000_000_000n;

/** The ownership rows, which agents call with a token, and what the ledger adds to the others. */
describe("owners at the aggregator, in the specification's words", function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob'>;

  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], usdc: { alice: '30', bob: '10' } });
    for (const member of Object.values(mesh.nodes)) {
      assert.equal((await member.post('/lease/pay', {})).status, 200);
      await happens('the lease is indexed', async () => {
        const { body } = await ask('GET', `/agents/${member.id}/profile`);
        return body.lease_status === 'active' || undefined;
      });
    }
  });
  after(() => mesh?.stop());

  /** A call of the aggregator, with a token of an agent where one is named. */
  async function ask(method: string, path: string, body?: object, as?: Member) {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (as) {
      const identity = as.node.get(Identity);
      const request = { audience: mesh.aggregatorNode.publicUrl, method, target: path, body: Buffer.from(text) };
      const claims = tokenClaims(identity.address, request, Date.now(), systemRandom);
      headers['authorization'] = `Bearer ${identity.signAgentToken(claims)}`;
    }
    const init = { method, headers, ...(body !== undefined && { body: text }) };
    const response = await fetch(mesh.aggregatorNode.url + path, init);
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  }

  it('GET /agents/:agent_id/owner: {status, owner}, of an agent that proposed nobody', async () => {
    const { body } = await ask('GET', `/agents/${mesh.nodes.alice.id}/owner`);
    hasMembers(body, { status: ['none'] });
    lacks(body, 'owner');
  });

  it('POST /agents/:agent_id/propose-owner {owner_wallet}: needs a token of the agent and nothing else', async () => {
    const { alice, bob } = mesh.nodes;
    const wallet = newWallet();
    const path = `/agents/${alice.id}/propose-owner`;
    const wish = { owner_wallet: wallet.address };
    assert.equal((await ask('POST', path, wish)).status, 401);
    assert.equal((await ask('POST', path, wish, bob)).status, 403);
    const nobody = await ask('POST', path, {}, alice);
    assert.deepEqual([nobody.status, nobody.body.fields[0].pointer], [400, '/owner_wallet']);
    const half = await ask('POST', path, { ...wish, nonce: '00'.repeat(8) }, alice);
    assert.deepEqual([half.status, half.body.fields[0].pointer], [400, '/expires']);
    const { status, body } = await ask('POST', path, wish, alice);
    assert.equal(status, 200, JSON.stringify(body));
    hasMembers(body, { status: ['pending'], proposed_owner: [wallet.address], text: 'string', agent_signed: [false] });
    assert.ok(body.text.includes(wallet.address) && body.text.includes(alice.id));
    const again = await ask('POST', path, { proposed_owner: wallet.address }, alice);
    assert.deepEqual(again.body, body, 'proposing the same wallet again keeps the text that it may have signed');
    assert.deepEqual((await ask('GET', `/agents/${alice.id}/owner`)).body, body);
    const other = newWallet();
    const changed = await ask('POST', path, { proposed_owner: other.address }, alice);
    assert.equal(changed.body.proposed_owner, other.address);
  });

  it('POST /agents/:agent_id/claim-owner {signature}: claimed and on the ledger once both have signed; GET /agents/by-owner/:wallet', async () => {
    const { alice } = mesh.nodes;
    const [wallet, thief] = [newWallet(), newWallet()];
    const { text } = (await ask('POST', `/agents/${alice.id}/propose-owner`, { owner_wallet: wallet.address }, alice))
      .body;
    const claim = (signature: string) => ask('POST', `/agents/${alice.id}/claim-owner`, { signature });
    assert.equal((await claim(thief.sign(text))).status, 400);
    const kept = await claim(wallet.sign(text));
    assert.equal(kept.status, 202, JSON.stringify(kept.body));
    hasMembers(kept.body, { status: ['pending'], owner_signed: [true], agent_signed: [false] });

    // The wallet of the aggregator is empty: that is the aggregator's own trouble, and the claim is not lost.
    const signed = await alice.post('/owner/propose', { owner_wallet: wallet.address });
    assert.equal(signed.status, 200, JSON.stringify(signed.body));
    assert.equal(signed.body.text, text, 'the node signs what the wallet has signed');
    const poor = await claim(wallet.sign(text));
    assert.deepEqual([poor.status, poor.body.code], [503, 'ledger_unavailable'], JSON.stringify(poor.body));
    assert.ok(Number(poor.headers.get('retry-after')) > 0);
    const payer = mesh.aggregatorNode.get(Identity).address;
    const { body: health } = await ask('GET', '/health');
    assert.equal(health.plugins.ownership.state, 'degraded');
    assert.ok(health.plugins.ownership.detail.includes(payer), health.plugins.ownership.detail);
    hasMembers((await ask('GET', `/agents/${alice.id}/owner`)).body, { status: ['pending'], agent_signed: [true] });

    await mesh.localnet.faucet.sol(payer, SOL);
    const status = await happens('the claim is written by itself', async () => {
      const { body } = await ask('GET', `/agents/${alice.id}/owner`);
      return body.status === 'claimed' ? body : undefined;
    });
    hasMembers(status, { status: ['claimed'], owner: [wallet.address] });
    assert.equal((await alice.get('/owner')).body.owner, wallet.address);
    assert.equal((await ask('GET', '/health')).body.plugins.ownership.state, 'ok');
    const late = await ask('POST', `/agents/${alice.id}/propose-owner`, { owner_wallet: thief.address }, alice);
    assert.equal(late.status, 409);

    const { signature } = status;
    const [found] = await happens('the transaction is found', async () => {
      const { transactions } = (await ask('GET', `/search?q=${signature}`)).body;
      return transactions.length > 0 ? transactions : undefined;
    });
    assert.deepEqual(found, { signature, events: ['owner_claimed'] });
    const { wallets } = (await ask('GET', `/search?q=${wallet.address}`)).body;
    assert.deepEqual(wallets, [{ wallet: wallet.address, agents: [alice.id] }]);

    const owned = (await ask('GET', `/agents/by-owner/${wallet.address}`)).body;
    assert.equal(owned.length, 1, 'GET /agents/by-owner/:wallet: array of owner summaries');
    hasMembers(owned[0], { agent_id: [alice.id], name: ['alice'], score: 'integer' });
  });

  it('GET /agents/:agent_id/profile: stake_lamports and lease_status, by the ledger', async () => {
    const { alice } = mesh.nodes;
    assert.equal((await alice.post('/stake/add', { amount_usdc: '12.5' })).status, 200);
    const profile = await happens('the stake is indexed', async () => {
      const { body } = await ask('GET', `/agents/${alice.id}/profile`);
      return body.stake_lamports === 0 ? undefined : body;
    });
    hasMembers(profile, { stake_lamports: [12_500_000], lease_status: ['active'] });
    const required = (await ask('GET', `/stake/required/${alice.id}`)).body;
    hasMembers(required, { agent_id: [alice.id], required_stake_usdc: [10], deficit_usdc: [0] });
  });

  it('GET /network: the network, its ledger and its program', async () => {
    const { body } = await ask('GET', '/network');
    const { program, config } = mesh.localnet.settlement;
    hasMembers(body, { network_id: ['mesh-tests'], program: [program], config: [config] });
    assert.equal(body.genesis_hash, mesh.localnet.genesisHash);
  });
});
