/**
 * USDC that escrow released between two clusters, by epoch: a document per pair, its clusters in bytewise order.
 * `forth` went from the first to the second, `back` the other way; minor units as digits. At most 90 entries.
 */
export interface Flow {
  readonly epochs: readonly { readonly epoch: number; readonly forth: string; readonly back: string }[];
}

export const FLOW_EPOCHS = 90;
export type Direction = 'forth' | 'back';

/** Adds a release of this epoch and forgets what is older than 90 epochs at `now`. */
export function withRelease(
  flow: Flow | undefined,
  direction: Direction,
  amount: bigint,
  epoch: number,
  now: number,
): Flow {
  const kept = recent(flow, now);
  if (epoch <= now - FLOW_EPOCHS) return { epochs: kept };
  const entry = kept.find((one) => one.epoch === epoch) ?? { epoch, forth: '0', back: '0' };
  const grown = { ...entry, [direction]: (BigInt(entry[direction]) + amount).toString() };
  return { epochs: [...kept.filter((one) => one.epoch !== epoch), grown] };
}

/** What went in this direction in the 90 epochs that end with `now`, less what came back; never below zero. */
export function netFlow(flow: Flow | undefined, direction: Direction, now: number): bigint {
  const opposite = direction === 'forth' ? 'back' : 'forth';
  const net = recent(flow, now).reduce((sum, one) => sum + BigInt(one[direction]) - BigInt(one[opposite]), 0n);
  return net > 0n ? net : 0n;
}

function recent(flow: Flow | undefined, now: number): Flow['epochs'] {
  return (flow?.epochs ?? []).filter((one) => one.epoch > now - FLOW_EPOCHS);
}
