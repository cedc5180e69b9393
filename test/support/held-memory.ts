import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Bytes that this process holds, without what only waits to be collected. */
export function heldBytes(): number {
  collect();
  // Another thread frees the memory of buffers; the second collection waits until it has done so.
  collect();
  return usedBytes();
}

/** Bytes in use, garbage included: cheap, and never less than what is held. */
export function usedBytes(): number {
  // `external` has the array buffers too.
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
