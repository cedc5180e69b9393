import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Network } from '../../../core/internal-services.ts';
import { toBase64 } from '../../../core/platform/bytes.ts';
import { parseAgentId } from '../../../core/protocol/identity/ids.ts';
import { agentSigner, hostedIdentity } from '../../../core/protocol/signer/agent-signer.ts';
import { identityOf } from '../../messaging/support.ts';
import { innkeeper } from '../../support/agents.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { ask, Guest } from './support/hosted.ts';

describe('a host that claims another recovery key for an agent whose key it has', function () {
  this.timeout(60_000);
  const keeper = innkeeper();
  let mesh: Mesh<'inn' | 'manor'>;
  before(async () => {
    mesh = await startMesh({
      nodes: ['inn', 'manor'],
      plugins: { inn: [keeper.plugin] },
      own: { manor: { plugins: { hosting: { hostAgents: true, registrationsPerMinute: 6_000 } } } },
      storage: 'lowdb',
    });
  });
  after(() => mesh?.stop());

  /** What it would hand to a host that has heard of nothing. */
  function forged(seed: Uint8Array, successor: string, recovery = identityOf('thief')) {
    const [{ inn }, identity] = [mesh.nodes, hostedIdentity(agentSigner(seed))];
    const network = inn.node.get(Network);
    const time = Math.floor(Date.now() / 1_000);
    const not_after = time + 86_400;
    const claimed = { host_key: parseAgentId(inn.id)!, recovery_key: recovery.key, not_after };
    const fields = { old_key: identity.key, new_key: parseAgentId(successor)!, time };
    return {
      ...{ agent_id: identity.address, successor, time },
      signature_b64: toBase64(recovery.signDomain('succession/1', network, fields)),
      claim: {
        ...{ host: inn.id, recovery_key: recovery.address, not_after },
        signature_b64: toBase64(identity.signHost(network, claimed)),
      },
    };
  }

  it('is found out by a new host that never heard the first claim: its aggregators did', async () => {
    const { inn, manor } = mesh.nodes;
    await manor.stop();
    const [seed, recovery] = [randomBytes(32), identityOf('the client')];
    const { agents } = keeper.got;
    const { id } = await agents.add({ signer: agents.signerOf(seed), recoveryKey: recovery.address });
    const { body } = await happens('the aggregator has heard the first claim', async () => {
      const answer = await ask(mesh.aggregatorNode.url, `GET /agents/${id}/host`);
      return answer.status === 200 ? answer : undefined;
    });
    assert.deepEqual([body.agent_id, body.host, body.recovery_key], [id, inn.id, recovery.address]);
    assert.equal((await ask(mesh.aggregatorNode.url, `GET /agents/${inn.id}/host`)).status, 404);
    await manor.start();
    const thief = await Guest.register(() => manor);
    assert.equal(
      await thief.refused('POST /hosted/take-over', forged(seed, thief.id)),
      '400 invalid_request /claim/recovery_key',
    );
    // So it is not in the way of the client itself.
    const next = await Guest.register(() => manor);
    const notice = forged(seed, next.id, recovery);
    assert.equal((await next.does('POST /hosted/take-over', notice)).agent_id, id);
  });

  it('is not believed while no aggregator answers; an agent that none has heard of moves by its notice', async () => {
    const { manor } = mesh.nodes;
    const [unheard, another] = [randomBytes(32), randomBytes(32)];
    const next = await Guest.register(() => manor);
    assert.equal((await next.does('POST /hosted/take-over', forged(unheard, next.id))).successor, next.id);
    await mesh.aggregatorNode.stop();
    const last = await Guest.register(() => manor);
    assert.equal(await last.refused('POST /hosted/take-over', forged(another, last.id)), '502 upstream_failed');
  });
});
