import assert from 'node:assert/strict';
import { isMeshError } from '../../core/contracts/errors.ts';
import { Identity } from '../../core/internal-services.ts';
import { announce } from '../../core/node/owner/announcement.ts';
import { mesh as command } from '../cli/terminal.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { newWallet } from '../support/wallet.ts';

const SOL = 1_000_000_000n;

describe('the owner of a node', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob'>;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb', usdc: { alice: '10', bob: '10' } });
    await mesh.localnet.faucet.sol(mesh.aggregatorNode.get(Identity).address, SOL);
    for (const member of Object.values(mesh.nodes)) await standing(member);
  });
  after(() => mesh.stop());

  /** Aggregators pay for links of agents that have something at stake. */
  async function standing(member: Member): Promise<void> {
    assert.equal((await member.post('/lease/pay', {})).status, 200);
    await happens('the lease is indexed', async () => {
      const { lease_status } = await mesh.aggregator.profile(member.id).catch(() => ({ lease_status: 'none' }));
      return lease_status === 'active' || undefined;
    });
  }

  it('is proposed by the node, claimed with the wallet’s signature, and can never be changed', async () => {
    const { alice } = mesh.nodes;
    const [wallet, thief] = [newWallet(), newWallet()];
    assert.deepEqual(await alice.client.owner(), { status: 'none', agent_id: alice.id });
    const proposed = await alice.client.proposeOwner({ owner_wallet: wallet.address });
    assert.deepEqual([proposed.status, proposed.proposed_owner], ['pending', wallet.address]);
    const where = `${mesh.aggregatorNode.url}/agents/${alice.id}/claim-owner`;
    assert.deepEqual(proposed.claim_at, [where]);
    assert.equal((await mesh.aggregator.owner(alice.id)).text, proposed.text);
    await alice.restart();
    assert.deepEqual(await alice.client.owner(), proposed);

    await assert.rejects(mesh.aggregator.claimOwner(alice.id, thief.sign(proposed.text!)), { code: 'invalid_request' });
    const claimed = await mesh.aggregator.claimOwner(alice.id, wallet.sign(proposed.text!));
    assert.deepEqual([claimed.status, claimed.owner], ['claimed', wallet.address]);
    const { owner, status } = await alice.client.owner();
    assert.deepEqual([status, owner], ['claimed', wallet.address]);
    assert.deepEqual((await mesh.aggregator.agentsOfOwner(wallet.address))[0]?.agent_id, alice.id);
    for (const { address } of [wallet, thief]) {
      const again = await alice.post('/owner/propose', { owner_wallet: address });
      assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
    }
  });

  it('is proposed by the command, which says what to do in words', async () => {
    const { bob } = mesh.nodes;
    const wallet = newWallet();
    const ask = (...args: string[]) => command(['owner', ...args, '--url', bob.url, '--secret', bob.secret]);
    assert.match((await ask()).out, /^Nobody is known to own /);
    const { code, out } = await ask(wallet.address);
    assert.equal(code, 0);
    const [text] = /^agent-mesh ownership claim[\s\S]*?^expires: \d+$/m.exec(out)!;
    assert.match(
      out,
      new RegExp(`^curl -X POST ${mesh.aggregatorNode.url}/agents/${bob.id}/claim-owner .*"BASE64"`, 'm'),
    );
    await mesh.aggregator.claimOwner(bob.id, wallet.sign(text));
    const state = JSON.parse((await ask('--json')).out);
    assert.deepEqual([state.status, state.owner], ['claimed', wallet.address]);
    assert.match((await ask()).out, new RegExp(`is owned by ${wallet.address} since .* can never be changed\\.$`));
    assert.equal((await ask(newWallet().address)).code, 1);
  });

  it('cannot be what is no wallet, the agent itself, or proposed for too short a time', async () => {
    const { alice } = mesh.nodes;
    const cases: [object, string][] = [
      [{ owner_wallet: alice.id }, '/owner_wallet'],
      [{ owner_wallet: '1'.repeat(32) }, '/owner_wallet'],
      [{ owner_wallet: newWallet().address, valid_secs: 60 }, '/valid_secs'],
      [{}, ''],
    ];
    for (const [wish, pointer] of cases) {
      const { status, body } = await alice.post('/owner/propose', wish);
      assert.deepEqual([status, body.code], [400, 'invalid_request']);
      assert.ok(JSON.stringify(body).includes(pointer), JSON.stringify(body));
    }
    const open = await alice.post('/owner/propose', {}, { authorization: '' });
    assert.equal(open.status, 401);
  });

  it('is not proposed where no aggregator takes it', async () => {
    const proposal = {
      owner_wallet: newWallet().address,
      nonce: '00'.repeat(8),
      expires: 1,
      signature: 'A'.repeat(88),
    };
    for (const [aggregators, why] of [
      [[], /set mesh\.aggregators/],
      [['http://127.0.0.1:1'], /bad port/],
    ] as const) {
      const call = announce({ agentId: mesh.nodes.bob.id, proposal, aggregators, means: { sign: () => 'a.b.c' } });
      await assert.rejects(
        call,
        (error) => isMeshError(error) && error.code === 'upstream_failed' && why.test(error.message),
      );
    }
  });
});
