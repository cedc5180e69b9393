import type { CounterPayload, ProposePayload } from '../envelopes/payloads/payloads.ts';
import type { OfferedTerms } from './events.ts';

/** The terms that a PROPOSE or COUNTER states; nodes and aggregators complete them by the same rules (terms.ts). */
export function offeredTerms(payload: ProposePayload | CounterPayload): OfferedTerms {
  const { amount_usdc_micro, bond_usdc_micro, expires_at, deadline_secs, review_secs, escrow, notary } = payload;
  const { dispute_bps, acceptance } = payload;
  return {
    amount: amount_usdc_micro.toString(),
    ...(bond_usdc_micro !== undefined && { bond: bond_usdc_micro.toString() }),
    ...(deadline_secs !== undefined && { deadline_secs }),
    ...(review_secs !== undefined && { review_secs }),
    ...(expires_at !== undefined && { expires_at: Date.parse(expires_at) }),
    ...(escrow !== undefined && { escrow }),
    ...(notary !== undefined && { notary }),
    ...(dispute_bps !== undefined && { dispute_bps }),
    ...(acceptance !== undefined && { acceptance }),
  };
}
