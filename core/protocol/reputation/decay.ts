import { HALF_LIFE } from './parameters.ts';

/** 2^(-1/90). */
const ONE_EPOCH = 0.9923279462629435;
const HALF = 0.5;

/**
 * The share of a weight that is left after a whole number of epochs. It multiplies and nothing else, so that
 * everybody computes the same bits.
 */
export function decay(epochs: number): number {
  let left = HALF ** Math.floor(epochs / HALF_LIFE);
  let factor = ONE_EPOCH;
  for (let rest = epochs % HALF_LIFE; rest > 0; rest >>= 1) {
    if (rest & 1) left *= factor;
    factor *= factor;
  }
  return left;
}
