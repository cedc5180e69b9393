const MICROS = 1_000_000;
const SEQ_RANGE = 2 ** 22;

/** The last sequence number of an epoch. */
export const MAX_SEQ: number = SEQ_RANGE - 1;

/** The epoch of a moment in microseconds since the Unix epoch. */
export function epochOf(timestamp: number, epochSecs: number): number {
  return Math.floor(Math.floor(timestamp / MICROS) / epochSecs);
}

/** The nonce of a key's envelope number `seq` (1, 2, 3 … over all message types and recipients) of an epoch. */
export function nonceOf(epoch: number, seq: number): number {
  if (!(Number.isSafeInteger(seq) && seq >= 1 && seq <= MAX_SEQ)) throw new RangeError(`sequence number ${seq}`);
  const nonce = epoch * SEQ_RANGE + seq;
  if (!(Number.isSafeInteger(epoch) && epoch >= 0 && Number.isSafeInteger(nonce)))
    throw new RangeError(`epoch ${epoch}`);
  return nonce;
}

export function epochOfNonce(nonce: number): number {
  return Math.floor(nonce / SEQ_RANGE);
}

/** The sequence number inside a nonce; 0 is never given out and convicts whoever signs it. */
export function seqOfNonce(nonce: number): number {
  return nonce % SEQ_RANGE;
}
