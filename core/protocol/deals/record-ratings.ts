import { agreedEscrowOf, type DealRecord, escrowOf } from './record.ts';

/** The money that a deal's escrow released and returned, as digits of minor units. `payer` is a place in the pair. */
export interface Settlement {
  readonly payer: 0 | 1;
  readonly released: string;
  /**
   * The part of the agreed amount that was neither released nor burnt, without the bond; 0 where the lock is not the
   * agreed one.
   */
  readonly returned: string;
}

/**
 * A counted rating of one side by the other. `settled` is the settlement that it was counted with, absent while the
 * ledger had reported none; a settlement that the ledger reports later replaces it.
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

/** The settlement of this deal's escrow; undefined while none has ended. */
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
