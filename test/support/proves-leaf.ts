import { keccak256 } from '../../core/protocol/envelopes/keccak.ts';

/** Whether the siblings lead from this leaf at this index of a batch of `count` to the root. */
export function provesLeaf(
  batch: { readonly count: number; readonly root: Uint8Array },
  index: number,
  leaf: Uint8Array,
  siblings: readonly Uint8Array[],
): boolean {
  if (!(Number.isInteger(index) && index >= 0 && index < batch.count) || siblings.length !== depthOf(batch.count))
    return false;
  const node = siblings.reduce(
    (below, sibling, depth) =>
      Math.floor(index / 2 ** depth) % 2 === 0 ? parentOf(below, sibling) : parentOf(sibling, below),
    leaf,
  );
  return Buffer.compare(node, batch.root) === 0;
}

function parentOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  return keccak256(new Uint8Array([1, ...left, ...right]));
}

/** How many siblings a path has: the depth of the tree of so many leaves. */
export function depthOf(count: number): number {
  return count <= 1 ? 0 : 32 - Math.clz32(count - 1);
}
