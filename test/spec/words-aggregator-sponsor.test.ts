import assert from 'node:assert/strict';
import { Identity } from '../../core/internal-services.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { tokenClaims } from '../../core/protocol/signer/agent-token.ts';
import { type LaunchpadMesh, startLaunchpadMesh, WISH } from '../launchpad/support/launchpad-mesh.ts';
import { happens } from '../support/happens.ts';

/** What a node's launch does at the aggregator, by the specification's own path and names. */
describe("the sponsor of the aggregator, in the specification's words", function () {
  this.timeout(60_000);
  let at: LaunchpadMesh;
  before(async () => {
    at = await startLaunchpadMesh();
    await happens(
      'the aggregator has heard of alice',
      async () => (await at.mesh.aggregator.agents()).some(({ agent_id }) => agent_id === at.alice.id) || undefined,
    );
  });
  after(() => at?.stop());

  it('POST /sponsor/fee-share-config {base_mint, agent_pubkey}: {config_key}, and the agent pays no SOL', async () => {
    const { body } = await at.alice.post('/launchpad/launch', WISH);
    const asked = at.service.requests.find(({ path }) => path.endsWith('/create-launch-transaction'))!;
    const { configKey } = JSON.parse(asked.body);
    assert.deepEqual(at.service.share(configKey)?.claimers, [at.alice.id]);
    const known = JSON.stringify({ base_mint: body.token_mint, agent_pubkey: at.alice.id });
    const ask = (authorization?: string) =>
      fetch(`${at.mesh.aggregatorNode.url}/sponsor/fee-share-config`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        body: known,
      });
    assert.equal((await ask()).status, 401, 'only the agent itself asks');
    const identity = at.alice.node.get(Identity);
    const request = {
      ...{ audience: at.mesh.aggregatorNode.publicUrl, method: 'POST', target: '/sponsor/fee-share-config' },
      body: Buffer.from(known),
    };
    const claims = tokenClaims(identity.address, request, Date.now(), systemRandom);
    const answer = await ask(`Bearer ${identity.signAgentToken(claims)}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { config_key: configKey }, 'the same again is the same share');
  });
});
