import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Bytes that this process holds, without what only waits to be collected. */
export function heldBytes(): number {
  collect();
  return usedBytes();
}

/** Bytes in use, garbage included: cheap, and never less than what is held. */
export function usedBytes(): number {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}
