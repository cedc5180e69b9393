import type { Network } from '../protocol/identity/network.ts';

/** The network's calendar, in Unix milliseconds. */
export interface Epochs {
  /** The epoch of a moment. */
  at(milliseconds: number): number;
  /** How long an epoch lasts. */
  readonly ms: number;
}

export function epochsOf({ epochSecs }: Network): Epochs {
  const ms = epochSecs * 1000;
  return { ms, at: (milliseconds) => Math.floor(milliseconds / ms) };
}
