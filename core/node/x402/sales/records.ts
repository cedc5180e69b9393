import type { SchemaTypes } from '../../../../schemas/types.ts';
import { collection } from '../../../storage/declarations.ts';

export type SaleRecord = SchemaTypes['x402-sale-record'];

/** As long as the ledger transaction of the payment is remembered; a payment itself can land for a minute or two. */
const KEPT_MS = 90 * 24 * 3_600_000;

/**
 * Payments that calls were sold for, by the hash of what their payers signed. `taken` are those the ledger has not confirmed, `untold`
 * those the history does not have yet.
 */
export const sales = collection<SaleRecord, 'at' | 'unserved' | 'taken' | 'untold'>('x402-sales', {
  schema: 'x402-sale-record',
  ttl: KEPT_MS,
  indexes: {
    at: ({ at }) => [at],
    unserved: ({ state, at }) => (state === 'served' ? undefined : [at]),
    taken: ({ state, at }) => (state === 'taken' ? [at] : undefined),
    untold: ({ untold, at }) => (untold ? [at] : undefined),
  },
});

/** The name of the ledger transaction that pays. */
export function saleName(id: string): string {
  return `x402-sale/${id}`;
}
