import assert from 'node:assert/strict';
import { answer, convict, submitBatch } from '../../adapters/ledger-solana/program/index.ts';
import { concatBytes } from '../../core/platform/bytes.ts';
import { batchOf } from '../../core/protocol/batches/leaf-list.ts';
import { merklePath } from '../../core/protocol/batches/merkle.ts';
import { accusation, stakedAgent } from '../program/support/agents.ts';
import { header, idOf } from '../program/support/envelopes.ts';
import { World } from '../program/support/world.ts';

describe('a batch of ours before the program', () => {
  const world = new World();
  const { svm, deployment } = world;
  const accuser = world.wallet();

  it('answers an accusation of every leaf, whatever the count', () => {
    for (const count of [1, 2, 3, 6, 9]) {
      const { key } = stakedAgent(world);
      svm.pass(200n);
      const epoch = world.epoch() - 1n;
      const headers = Array.from({ length: count }, (_, i) => header({ sender: key.address, epoch, seq: i + 1 }));
      const leaves = concatBytes(...headers.map(idOf));
      const batch = { ...batchOf(Number(epoch), leaves), epoch };
      world.do([submitBatch(deployment, key.address, batch)], [key]);
      headers.forEach((bytes, index) => {
        world.do(accusation(world, key, bytes, accuser), [accuser]);
        const accused = { key: key.address, id: idOf(bytes), accuser: accuser.address };
        world.do([answer(deployment, accused, key.address, merklePath(leaves, index))], [key]);
      });
      assert.equal(world.agent(key.address).open, 0);
    }
  });

  it('has a zero leaf where no envelope is, which convicts whoever signed one there', () => {
    const { key } = stakedAgent(world);
    svm.pass(200n);
    const epoch = world.epoch() - 1n;
    const headers = [1, 2, 3].map((seq) => header({ sender: key.address, epoch, seq }));
    const leaves = concatBytes(...headers.map(idOf));
    leaves.fill(0, 32, 64);
    world.do([submitBatch(deployment, key.address, { ...batchOf(Number(epoch), leaves), epoch })], [key]);
    world.do(accusation(world, key, headers[1]!, accuser), [accuser]);
    const accused = { key: key.address, id: idOf(headers[1]!), accuser: accuser.address };
    const other = { leaf: new Uint8Array(32), siblings: merklePath(leaves, 1) };
    const { events } = world.do([convict(deployment, accused, other)], [accuser]);
    assert.equal(events[0]?.name, 'agentSlashed');
  });
});
