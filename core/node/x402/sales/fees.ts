import { MeshError } from '../../../contracts/errors.ts';
import {
  COUNTED_MS,
  EMPTY,
  fallsTo,
  KEPT_MS,
  type SpendingWindow,
  spentIn,
  withSpent,
} from '../../../platform/spending-window.ts';
import { collection } from '../../../storage/declarations.ts';
import type { Tx } from '../../../storage/transaction.ts';

const windows = collection<SpendingWindow>('x402-fees', { schema: 'spending-window', ttl: KEPT_MS });
const LAMPORTS = 1e9;

/** The fees of 24 hours. */
export const feesOfDay = windows.ref('day');

/**
 * Counts a fee that this node is about to sign for. Strangers decide when, so it has a cap of its own: what the owner does by
 * `ledger.maxSolPerDay` has no less room for it. A fee counts whether the payment lands or not.
 */
export function countFee(tx: Tx, fee: bigint, most: bigint): void {
  const window = tx.get(feesOfDay) ?? EMPTY;
  const used = spentIn(window, tx.now);
  if (used + fee > most) {
    const free = fee > most ? tx.now + COUNTED_MS : fallsTo(window, tx.now, most - fee);
    throw new MeshError('rate_limited', {
      detail: `This node pays at most ${Number(most) / LAMPORTS} SOL of fees for its buyers in 24 hours (core.wallet.maxSaleFeesPerDay); nothing was taken.`,
      retryAfter: Math.ceil((free - tx.now) / 1_000),
    });
  }
  tx.put(feesOfDay, withSpent(window, tx.now, fee));
}
