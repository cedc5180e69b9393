import type { SchemaTypes } from '../../../schemas/types.ts';
import { allowedActions } from '../../deals/actions.ts';
import { type Deal, lastOffer } from '../../deals/deal.ts';
import type { Action } from '../../deals/events.ts';
import { nextTimer } from '../../deals/timers.ts';
import { collection } from '../../storage/declarations.ts';

/** A USDC transfer that pays a deal: stored, signed, before it is sent. */
export type DealPayment = SchemaTypes['deal-payment'];

/** A deal with what this node remembers beside it. */
export interface DealDocument {
  readonly deal: Deal;
  /** What the first offer asked for. */
  readonly message: string;
  /** Whether this node has rated the other side. */
  readonly rated: boolean;
  /** The latest transfer this node made for it. */
  readonly payment: DealPayment | null;
  readonly updated_at: number;
}

/** Every deal this node is a party of, by conversation id. */
export const deals = collection<DealDocument, 'recent' | 'state' | 'timer' | 'paying' | 'owed'>('deals', {
  schema: 'deal-document',
  indexes: {
    recent: ({ updated_at }) => [updated_at],
    state: ({ deal, updated_at }) => [deal.state, updated_at],
    timer: ({ deal }) => {
      const timer = nextTimer(deal);
      return timer && [timer.at];
    },
    paying: ({ payment, updated_at }) => (payment?.status === 'recorded' ? [updated_at] : undefined),
    owed: ({ deal }) => (isOwed(deal) ? [deal.provider] : undefined),
  },
});

export function newDeal(deal: Deal, message: string, now: number): DealDocument {
  return { deal, message, rated: false, payment: null, updated_at: now };
}

export function withDeal(document: DealDocument, deal: Deal, now: number): DealDocument {
  return { ...document, deal, updated_at: now };
}

/** What a key may do now; a rating that was given is not offered again. */
export function openActions({ deal, rated }: DealDocument, who: string, now: number): Action[] {
  return allowedActions(deal, who, now).filter((action) => !(action === 'feedback' && rated));
}

function isOwed(deal: Deal): boolean {
  return deal.accepted !== null && !deal.final && !deal.escrow && lastOffer(deal).amount !== '0';
}
