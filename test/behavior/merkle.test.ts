import assert from 'node:assert/strict';
import { concatBytes, fromHex, toHex } from '../../core/platform/bytes.ts';
import {
  batchOf as behaviorBatch,
  leafOf,
  signLeafList,
  verifyLeafList,
} from '../../core/protocol/batches/leaf-list.ts';
import { merklePath, merkleRoot } from '../../core/protocol/batches/merkle.ts';
import { keccak256 } from '../../core/protocol/envelopes/keccak.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { treeOf } from '../program/support/envelopes.ts';
import { depthOf, provesLeaf } from '../support/proves-leaf.ts';

/** Ids of three envelopes of one key and epoch, and the roots above them, computed by an independent program. */
const IDS = [
  '66c673539e8fab6625c583adcddb5a84bb1a3b010abfd584391d5b4a856b3db0',
  'e7085b69ea547f3bff6e98ec1cc51b90b65b57dc3fc0774cc1c2521990131af5',
  '2476df227376d4b86ec94e18998ed78e6632e3a3c9a409202b3a59b1d2226a8a',
];
const ROOT_OF_3 = 'b89eb56b71e3957ab1aa777ef0d0b725bc2d00a78a53ea1fae1663268e4a9162';

const ids = concatBytes(...IDS.map((id) => fromHex(id, 32)!));

function someLeaves(count: number): Uint8Array {
  return concatBytes(...Array.from({ length: count }, (_, i) => keccak256(new Uint8Array([i, i >> 8]))));
}

describe('the tree of a batch', () => {
  it('has the root of the published vectors', () => {
    assert.equal(toHex(merkleRoot(ids)), ROOT_OF_3);
    assert.equal(toHex(merkleRoot(ids.slice(0, 32))), IDS[0]);
    assert.equal(toHex(merkleRoot(new Uint8Array())), '0'.repeat(64));
  });

  it('equals a tree that is filled up leaf by leaf, whatever the count', () => {
    for (let count = 1; count <= 70; count++) {
      const leaves = someLeaves(count);
      const other = treeOf(Array.from({ length: count }, (_, i) => Buffer.from(leaves.slice(32 * i, 32 * i + 32))));
      assert.equal(toHex(merkleRoot(leaves)), toHex(other.root), `root of ${count}`);
      for (const index of [0, count >> 1, count - 1]) {
        assert.deepEqual(
          merklePath(leaves, index).map(toHex),
          other.siblings(index).map(toHex),
          `${index} of ${count}`,
        );
      }
    }
  });

  it('is as deep as the next power of two', () => {
    const depths = [0, 1, 2, 3, 4, 5, 8, 9, 2 ** 21, 2 ** 22 - 1].map(depthOf);
    assert.deepEqual(depths, [0, 0, 1, 2, 2, 3, 3, 4, 21, 22]);
  });

  it('proves every leaf at its place and nowhere else', () => {
    const leaves = someLeaves(11);
    const batch = behaviorBatch(7, leaves);
    for (let index = 0; index < 11; index++) {
      const leaf = leafOf(leaves, index + 1)!;
      const path = merklePath(leaves, index);
      assert.ok(provesLeaf(batch, index, leaf, path));
      assert.ok(!provesLeaf(batch, (index + 1) % 11, leaf, path));
      assert.ok(!provesLeaf(batch, index, keccak256(leaf), path));
      assert.ok(!provesLeaf(batch, index, leaf, path.slice(1)));
    }
    assert.ok(!provesLeaf(batch, 11, new Uint8Array(32), merklePath(leaves, 10)));
  });

  it('refuses what is no list of leaves, and an index outside of it', () => {
    assert.throws(() => merkleRoot(new Uint8Array(33)), RangeError);
    for (const index of [-1, 3, 0.5, Number.NaN]) assert.throws(() => merklePath(ids, index), RangeError);
  });
});

describe('a leaf list', () => {
  const network = defineNetwork({ name: 'test' });
  const identity = identityFromSeed(new Uint8Array(32).fill(1));
  const list = signLeafList(20254, ids, identity, network);

  it('is signed by its key over epoch, count and root', () => {
    assert.equal(list.count, 3);
    assert.equal(toHex(list.root), ROOT_OF_3);
    assert.ok(verifyLeafList(list, identity.key, network));
  });

  it('is not believed for another key, network, epoch, root or with other leaves', () => {
    const stranger = identityFromSeed(new Uint8Array(32).fill(2));
    assert.ok(!verifyLeafList(list, stranger.key, network));
    assert.ok(!verifyLeafList(list, identity.key, defineNetwork({ name: 'other' })));
    assert.ok(!verifyLeafList({ ...list, epoch: 20255 }, identity.key, network));
    assert.ok(!verifyLeafList({ ...list, root: new Uint8Array(32) }, identity.key, network));
    assert.ok(!verifyLeafList({ ...list, leaves: someLeaves(3) }, identity.key, network));
    assert.ok(!verifyLeafList({ ...list, leaves: ids.slice(0, 64) }, identity.key, network));
    assert.ok(!verifyLeafList({ ...list, leaves: ids.slice(0, 65) }, identity.key, network));
  });

  it('gives the leaf of a sequence number, which begins at 1', () => {
    assert.equal(toHex(leafOf(ids, 1)!), IDS[0]);
    assert.equal(toHex(leafOf(ids, 3)!), IDS[2]);
    for (const seq of [0, 4, -1]) assert.equal(leafOf(ids, seq), undefined);
  });

  it('may be empty', () => {
    const empty = signLeafList(1, new Uint8Array(), identity, network);
    assert.equal(empty.count, 0);
    assert.ok(verifyLeafList(empty, identity.key, network));
  });
});
