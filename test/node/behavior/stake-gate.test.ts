import assert from 'node:assert/strict';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { stake } from './support.ts';

describe('the stake gate', function () {
  this.timeout(90_000);
  let mesh: Mesh<'staked' | 'free' | 'strict'>;
  before(async () => {
    const core = { stake: { gate: true } };
    mesh = await startMesh({
      nodes: ['staked', 'free', 'strict'],
      usdc: { staked: '50' },
      own: { strict: { core } },
    });
  });
  after(() => mesh.stop());

  const offer = async (from: Member, to: Member) => {
    const { envelope_id } = await from.client.propose({ recipient: to.id, amount_usdc: '0', message: 'Work.' });
    return (await from.client.trace(envelope_id)).hops.at(-1)!.detail;
  };

  it('takes offers only from who has at stake what is required, and everything else from everybody', async () => {
    const { staked, free, strict } = mesh.nodes;
    await stake(staked, '10');
    await happens('the aggregator knows the stake', async () => {
      const answer = await fetch(`${mesh.aggregatorNode.url}/stake/required/${staked.id}`);
      return ((await answer.json()) as any).deficit_usdc === 0 || undefined;
    });
    await happens('all know each other', async () => (await offer(staked, strict)) === 'accepted' || undefined);
    assert.equal(await offer(free, strict), 'restricted');
    const { status } = await free.client.message({ recipient: strict.id, text: 'May I?' });
    assert.equal(status, 'delivered');
  });
});
