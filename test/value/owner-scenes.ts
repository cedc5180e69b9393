import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isMeshError } from '../../core/contracts/errors.ts';
import { Identity, Network } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { fromBase64 } from '../../core/platform/bytes.ts';
import { ownerClaimText } from '../../core/protocol/identity/owner-claim.ts';
import { newWallet } from '../support/wallet.ts';
import type { World } from './world.ts';

/** Who owns Bob. */
export function ownerScenes(world: World): void {
  const [wallet, rival] = [newWallet(), newWallet()];

  it('an owner is proposed by the node and claims the agent', async () => {
    const { bob, mesh } = world;
    const { text } = await bob.client.proposeOwner({ owner_wallet: wallet.address });
    await mesh.aggregator.claimOwner(bob.id, wallet.sign(text!));
    const event = await world.event('owner_claimed', `agent_id=${bob.id}`);
    assert.equal(event.owner, wallet.address);
    assert.deepEqual(
      (await mesh.aggregator.agentsOfOwner(wallet.address)).map(({ agent_id }) => agent_id),
      [bob.id],
    );
  });

  it('which nothing replaces: not the node, not the aggregator, not the key itself on the ledger', async () => {
    const { bob, mesh, settlement } = world;
    await assert.rejects(bob.client.proposeOwner({ owner_wallet: rival.address }), { code: 'conflict' });
    await assert.rejects(mesh.aggregator.claimOwner(bob.id, rival.sign('anything')), { code: 'conflict' });
    const [identity, network] = [bob.node.get(Identity), bob.node.get(Network)];
    const { unixSeconds } = await settlement.time();
    const claim = { owner: rival.key, nonce: new Uint8Array(randomBytes(8)), expires: unixSeconds + 3_600 };
    const text = ownerClaimText(network, { purpose: 'link', agentId: identity.key, key: identity.key, ...claim });
    const step = {
      type: 'claim_owner',
      ...{ key: bob.id, agentId: bob.id, owner: rival.address, nonce: claim.nonce, expires: claim.expires },
      ownerSignature: fromBase64(rival.sign(text))!,
      keySignature: identity.signDomain('owner/1', network, { agent_id: identity.key, ...claim }),
    } as const;
    await assert.rejects(
      world.take(step, ledgerSigner(identity)),
      (error) => isMeshError(error) && error.code === 'conflict',
    );
    assert.equal((await settlement.ownerLink(bob.id))?.owner, wallet.address);
    for (const { owner } of [await bob.client.owner(), await mesh.aggregator.owner(bob.id)])
      assert.equal(owner, wallet.address);
    assert.deepEqual(await mesh.aggregator.agentsOfOwner(rival.address), []);
  });
}
