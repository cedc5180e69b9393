import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HttpCaller } from '../../core/client/http-caller.ts';
import { Network } from '../../core/internal-services.ts';
import { JUMP } from '../../core/messaging/epoch-journal.ts';
import { seqOfNonce } from '../../core/protocol/envelopes/epochs.ts';
import type { SchemaTypes } from '../../schemas/types.ts';
import { TestAgent } from '../aggregator/support/agent.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

describe('an aggregator that holds another envelope under a nonce of ours', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'>;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'] });
  });
  after(() => mesh.stop());

  it('tells so when it is reported, and the epoch is tainted', async () => {
    const { alice, bob } = mesh.nodes;
    const propose = () => alice.client.propose({ recipient: bob.id, amount_usdc: '1', message: 'Count.' });
    const { nonce } = await propose();
    const seed = new Uint8Array(await readFile(join(mesh.folder, 'alice', 'identity.key')));
    const copy = new TestAgent('alice', Date.now, alice.node.get(Network), seed);
    const elsewhere = copy.sign('BEACON', { payload: { name: 'a copy', hubs: [] }, nonce: nonce + 1 });
    const { results } = await new HttpCaller({ url: mesh.aggregatorNode.url }).post<SchemaTypes['ingest-reply']>(
      '/ingest/envelopes',
      { items: [elsewhere.whole] },
    );
    assert.deepEqual(results, [{ envelope_id: elsewhere.id, status: 'accepted' }]);
    await propose();
    const detail = await happens('the node is told', async () => {
      const { plugins } = (await alice.get('/ready')).body;
      return plugins.mesh.state === 'degraded' ? (plugins.mesh.detail as string) : undefined;
    });
    const where = `aggregator ${mesh.aggregatorNode.url} holds envelope ${seqOfNonce(nonce + 1)} of epoch`;
    assert.ok(detail.includes(`is tainted and is never batched: ${where}`), detail);
    assert.ok(seqOfNonce((await propose()).nonce) > JUMP);
  });
});
