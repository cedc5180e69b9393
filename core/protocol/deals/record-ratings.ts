import { agreedEscrowOf, type DealRecord, escrowOf } from './record.ts';

/** What the escrow of a deal came to, in minor units as digits; who paid is a place in the pair. */
export interface Settlement {
  readonly payer: 0 | 1;
  readonly released: string;
  /** What came back of what the two had agreed to lock, the bond not counted. */
  readonly returned: string;
}

/**
 * A rating of one side by the other that has counted, and the money it was counted with: none when the ledger had told
 * of none. What the ledger tells later changes that.
 */
export interface CountedRating {
  /** The rater's place in the pair. */
  readonly by: 0 | 1;
  readonly value: number;
  /** The epoch in which it was signed. */
  readonly epoch: number;
  /** How often the target's key had been replaced; absent for never. */
  readonly key_changes?: number;
  readonly settled?: Settlement;
}

/** What the escrow of this deal came to; undefined while none has ended. */
export function settlementOf(record: DealRecord): Settlement | undefined {
  const escrow = escrowOf(record);
  const { lock, closed, amount } = escrow ?? {};
  if (!lock || closed?.released === undefined || amount === undefined) return undefined;
  const { released, burnt = '0' } = closed;
  const left = BigInt(amount) - BigInt(released) - BigInt(burnt);
  const returned = agreedEscrowOf(record) === escrow && left > 0n ? left : 0n;
  return { payer: lock.requester === record.pair[0] ? 0 : 1, released, returned: returned.toString() };
}

/** The record with a rating of one side by the other; of others nothing is kept, since no money stands behind them. */
export function withCounted(record: DealRecord, rating: CountedRating): DealRecord {
  const others = (record.ratings ?? []).filter(({ by }) => by !== rating.by);
  return { ...record, ratings: [...others, rating].sort((one, other) => one.by - other.by) };
}
