import type { SchemaTypes } from '../../../schemas/types.ts';
import { amountJson, formatUsdc } from '../../platform/usdc.ts';
import type { EscrowAccount } from '../../protocol/settlement/accounts.ts';

/** An escrow as its node shows it. */
export function escrowView(escrow: EscrowAccount): SchemaTypes['escrow-view'] {
  const { deliveredAt, disputedAt, delivery } = escrow;
  return {
    conversation_id: escrow.conversation,
    escrow: escrow.address,
    vault: escrow.vault,
    state: escrow.state,
    requester: escrow.requester,
    provider: escrow.provider,
    notary: escrow.notary,
    payee: escrow.payee,
    amount_usdc: formatUsdc(escrow.amount),
    amount_usdc_micro: amountJson(escrow.amount),
    bond_usdc: formatUsdc(escrow.bond),
    bond_usdc_micro: amountJson(escrow.bond),
    terms: escrow.terms,
    deadline: iso(escrow.deadline),
    review_secs: escrow.reviewSecs,
    dispute_bps: escrow.disputeBps,
    offer_bps: disputedAt === null ? null : escrow.offerBps,
    contested: escrow.state === 'contested',
    locked_at: iso(escrow.lockedAt),
    ...(delivery !== null && { delivery }),
    ...(deliveredAt !== null && { delivered_at: iso(deliveredAt) }),
    ...(disputedAt !== null && { disputed_at: iso(disputedAt) }),
  };
}

function iso(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString();
}
