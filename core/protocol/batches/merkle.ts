import { keccak256 } from '../envelopes/keccak.ts';

/** Bytes of a leaf, of a node and of a root. */
export const HASH_LENGTH = 32;

const NODE = new Uint8Array([1]);
const DEEPEST = 32;
/** By depth, the node above nothing but zero leaves. */
const EMPTY: readonly Uint8Array[] = emptyNodes();

/**
 * The tree of a behavior batch (PROTOCOL 27). Leaves are envelope ids one after the other, 32 bytes each, the one of
 * sequence number `seq` at index `seq` - 1; a number that was not used is a leaf of zeros. The tree is as wide as the
 * next power of two, filled up with zero leaves on the right.
 */
export function merkleRoot(leaves: Uint8Array): Uint8Array {
  const levels = levelsOf(leaves);
  return levels.at(-1)!.slice(0, HASH_LENGTH);
}

/** The siblings that lead from a leaf to the root, the leaf's own neighbour first. */
export function merklePath(leaves: Uint8Array, index: number): Uint8Array[] {
  const count = leafCount(leaves);
  if (!(Number.isInteger(index) && index >= 0 && index < count)) throw new RangeError(`no leaf ${index} of ${count}`);
  return levelsOf(leaves)
    .slice(0, -1)
    .map((level, depth) => nodeAt(level, Math.floor(index / 2 ** depth) ^ 1) ?? EMPTY[depth]!);
}

export function leafCount(leaves: Uint8Array): number {
  if (leaves.length % HASH_LENGTH !== 0) throw new RangeError(`${leaves.length} bytes are no list of leaves`);
  return leaves.length / HASH_LENGTH;
}

/** From the leaves up to the root; of each level only what lies above real leaves. */
function levelsOf(leaves: Uint8Array): Uint8Array[] {
  const levels = [leafCount(leaves) === 0 ? EMPTY[0]! : leaves];
  while (levels.at(-1)!.length > HASH_LENGTH) levels.push(levelAbove(levels.at(-1)!, levels.length - 1));
  return levels;
}

function levelAbove(level: Uint8Array, depth: number): Uint8Array {
  const count = leafCount(level);
  const above = new Uint8Array(Math.ceil(count / 2) * HASH_LENGTH);
  for (let index = 0; index < count; index += 2) {
    const right = nodeAt(level, index + 1) ?? EMPTY[depth]!;
    above.set(parentOf(nodeAt(level, index)!, right), (index / 2) * HASH_LENGTH);
  }
  return above;
}

function nodeAt(level: Uint8Array, index: number): Uint8Array | undefined {
  const start = index * HASH_LENGTH;
  return start < level.length ? level.slice(start, start + HASH_LENGTH) : undefined;
}

function emptyNodes(): Uint8Array[] {
  const nodes: Uint8Array[] = [new Uint8Array(HASH_LENGTH)];
  while (nodes.length < DEEPEST) nodes.push(parentOf(nodes.at(-1)!, nodes.at(-1)!));
  return nodes;
}

function parentOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  return keccak256(NODE, left, right);
}
