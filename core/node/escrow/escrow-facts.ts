import { agreementOf, lockProblem } from '../../deals/agreed-lock.ts';
import type { Deal } from '../../deals/deal.ts';
import type { LedgerEvent } from '../../deals/events.ts';
import type { SettlementEvent } from '../../ledger/settlement-events.ts';

/** What an event of the ledger says about a deal; `problem` when something was locked that was not agreed. */
export function escrowFact(deal: Deal, event: SettlementEvent): LedgerEvent | { readonly problem: string } | undefined {
  const stamp = { id: `${event.signature}:${event.ordinal}`, at: event.time * 1000 };
  switch (event.name) {
    case 'escrow_locked': {
      const problem = lockProblem(agreementOf(deal), event, event.time);
      return problem === undefined ? { type: 'locked', ...stamp, by: event.requester } : { problem };
    }
    case 'escrow_delivered':
      return { type: 'escrow_delivered', ...stamp, by: event.provider, delivery: event.delivery };
    case 'escrow_disputed':
      return { type: 'escrow_disputed', ...stamp, by: event.requester };
    case 'escrow_approved':
      return { type: 'released', ...stamp, by: event.authority };
    case 'escrow_refunded':
      return { type: 'refunded', ...stamp, by: event.authority };
    case 'escrow_reclaimed':
      return { type: 'reclaimed', ...stamp, by: event.feePayer };
    case 'escrow_claimed':
      return { type: 'claimed', ...stamp, by: event.feePayer };
    case 'escrow_split':
      return event.remaining === 0n ? { type: 'split', ...stamp, by: event.feePayer } : undefined;
    default:
      return undefined;
  }
}
