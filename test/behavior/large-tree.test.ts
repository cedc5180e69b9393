import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { largeTree } from '../../core/protocol/batches/large-tree.ts';
import { merklePath, merkleRoot } from '../../core/protocol/batches/merkle.ts';

describe('a large tree', () => {
  for (const count of [0, 1, 256, 257, 512, 700, 1281]) {
    it(`of ${count} leaves is the tree of a batch`, async () => {
      const leaves = new Uint8Array(randomBytes(32 * count));
      let pauses = 0;
      const tree = await largeTree(leaves, async () => {
        pauses += 1;
      });
      assert.deepEqual(tree.root, merkleRoot(leaves));
      for (const index of [0, 1, 255, 256, count - 1].filter((one) => one >= 0 && one < count))
        assert.deepEqual(tree.path(index), merklePath(leaves, index), `path of ${index}`);
      assert.equal(pauses, count > 256 ? Math.ceil(count / 256) : 0);
      if (count > 0) assert.throws(() => tree.path(count), RangeError);
    });
  }
});
