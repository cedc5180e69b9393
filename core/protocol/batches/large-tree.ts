import { HASH_LENGTH, leafCount, merklePath, merkleRoot } from './merkle.ts';

/** The tree of a batch that may be too large to hash in one go. */
export interface LargeTree {
  readonly root: Uint8Array;
  /** The siblings of a leaf, its own neighbour first. */
  path(index: number): Uint8Array[];
}

/** A subtree of this many leaves takes a few milliseconds. */
const WIDTH = 256;

/** The same tree as `merkleRoot` and `merklePath` make, hashed subtree by subtree with a `pause` after each. */
export async function largeTree(leaves: Uint8Array, pause: () => Promise<void>): Promise<LargeTree> {
  const count = leafCount(leaves);
  if (count <= WIDTH) return { root: merkleRoot(leaves), path: (index) => merklePath(leaves, index) };
  const parts = Math.ceil(count / WIDTH);
  const tops = new Uint8Array(2 ** Math.ceil(Math.log2(parts)) * HASH_LENGTH);
  const empty = merkleRoot(new Uint8Array(WIDTH * HASH_LENGTH));
  for (let part = 0; part * HASH_LENGTH < tops.length; part += 1) {
    tops.set(part < parts ? merkleRoot(subtree(leaves, part)) : empty, part * HASH_LENGTH);
    if (part < parts) await pause();
  }
  return {
    root: merkleRoot(tops),
    path(index) {
      if (!(Number.isInteger(index) && index >= 0 && index < count))
        throw new RangeError(`no leaf ${index} of ${count}`);
      const part = Math.floor(index / WIDTH);
      return [...merklePath(subtree(leaves, part), index % WIDTH), ...merklePath(tops, part)];
    },
  };
}

/** One part of the leaves at its full width. */
function subtree(leaves: Uint8Array, part: number): Uint8Array {
  const whole = new Uint8Array(WIDTH * HASH_LENGTH);
  whole.set(leaves.subarray(part * WIDTH * HASH_LENGTH, (part + 1) * WIDTH * HASH_LENGTH));
  return whole;
}
