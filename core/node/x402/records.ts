import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

export type PaymentRecord = SchemaTypes['x402-record'];
export type PaymentView = SchemaTypes['x402-payment'];

/** Longer than anybody asks about a payment; its entry in the history stays. */
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Payments by x402. `open` lists those whose outcome is not final, by when the ledger is asked next; `call` the payments
 * for an offer, a URL or a key.
 */
export const payments = collection<PaymentRecord, 'open' | 'call'>('x402-payments', {
  schema: 'x402-record',
  ttl: KEPT_MS,
  indexes: {
    open: (record) => (isOpen(record) ? [record.look_at] : undefined),
    call: ({ call, at }) => [call, at],
  },
});

/** Whether its outcome is not final yet. */
export function isOpen({ state, final = false }: PaymentRecord): boolean {
  return state === 'begun' || state === 'made' || (state === 'paid' && !final);
}

/** Whether it may yet take money from the wallet. */
export function mayLand({ state, lapsed = false }: PaymentRecord): boolean {
  return (state === 'begun' || state === 'made') && !lapsed;
}

/** The name that it is counted under. */
export function spendingName(id: string): string {
  return `x402/${id}`;
}
