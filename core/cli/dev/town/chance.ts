import { createHash } from 'node:crypto';

/** A number from 0 up to 1 that follows from words alone: the same town decides the same way about the same work. */
export function chanceOf(...words: readonly string[]): number {
  return createHash('sha256').update(words.join('\0')).digest().readUInt32BE(0) / 2 ** 32;
}

/** A row of such numbers. */
export function chances(seed: string): () => number {
  let drawn = 0;
  return () => chanceOf(seed, String(drawn++));
}
