import assert from 'node:assert/strict';
import { fromHex } from '../../../core/platform/bytes.ts';
import { nonceOf } from '../../../core/protocol/envelopes/epochs.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { provesLeaf } from '../../support/proves-leaf.ts';
import { SHORT_EPOCHS, stake } from './support.ts';

describe('the batches of a node', function () {
  this.timeout(60_000);
  let mesh: Mesh<'staked' | 'free'>;
  before(async () => {
    const settings = { usdc: { staked: '100' }, numbers: SHORT_EPOCHS, storage: 'lowdb' } as const;
    mesh = await startMesh({ nodes: ['staked', 'free'], ...settings });
  });
  after(() => mesh.stop());

  async function say(count: number): Promise<{ nonce: number; id: string }[]> {
    const { staked, free } = mesh.nodes;
    const sent = [];
    for (let i = 0; i < count; i++) {
      const { nonce, envelope_id: id } = await staked.client.propose({
        recipient: free.id,
        amount_usdc: '1',
        message: 'x',
      });
      sent.push({ nonce, id });
    }
    return sent;
  }

  it('are submitted when their epoch is over, and prove every envelope', async () => {
    const { staked, free } = mesh.nodes;
    await stake(staked, '50');
    mesh.advance(SHORT_EPOCHS.epochSecs);
    const sent = await say(3);
    const epoch = Math.floor(sent[0]!.nonce / 2 ** 22);
    const open = await free.get(`/batch/${staked.id}/${epoch}`);
    assert.equal(open.status, 404);
    mesh.advance(SHORT_EPOCHS.epochSecs);
    const summary = await happens('a submitted batch', async () => {
      const { body } = await staked.get(`/batch/${staked.id}/${epoch}`);
      return body.state === 'submitted' && body.challenge_until ? body : undefined;
    });
    for (const { nonce, id } of sent) {
      const { body } = await staked.get(`/batch/${staked.id}/${epoch}/proof/${nonce}`);
      assert.equal(body.leaf, id);
      const batch = { count: body.count, root: fromHex(summary.log_merkle_root, 32)! };
      assert.ok(
        provesLeaf(
          batch,
          body.index,
          fromHex(id, 32)!,
          body.siblings.map((one: string) => fromHex(one, 32)!),
        ),
      );
    }
    const other = await free.get(`/batch/${staked.id}/${epoch}`);
    assert.equal(other.body.log_merkle_root, summary.log_merkle_root);
    assert.equal(nonceOf(epoch, 1) <= sent[0]!.nonce, true);
  });
  it('are caught up with after twelve epochs away, when nobody has slashed meanwhile', async () => {
    const { staked } = mesh.nodes;
    const submitted = () =>
      happens('all batches are submitted', async () => {
        const { body } = await staked.get('/stake');
        return body.last_epoch >= body.epoch - 1 ? body : undefined;
      });
    await submitted();
    await staked.stop();
    mesh.advance(12 * SHORT_EPOCHS.epochSecs);
    await staked.start();
    const { state, skipped_epochs: skipped } = await submitted();
    assert.equal(state, 'active');
    // Of the epoch in which it left the node may have signed more than it still knows.
    assert.ok(skipped.length <= 1, JSON.stringify(skipped));
  });
});
