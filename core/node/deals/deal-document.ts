import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Deal, DealState } from '../../deals/deal.ts';
import { nextTimer } from '../../deals/timers.ts';
import { collection } from '../../storage/declarations.ts';

/** A deal with what this node remembers beside it. */
export interface DealDocument {
  readonly deal: Deal;
  /** What the first offer asked for. */
  readonly message: string;
  /** Whether this node has rated the other side. */
  readonly rated: boolean;
  /** The latest amount of the payment, see payments. */
  readonly payment: SchemaTypes['deal-payment'] | null;
  readonly updated_at: number;
}

/** Every deal this node is a party of, by conversation id. */
export const deals = collection<DealDocument, 'recent' | 'state' | 'timer'>('deals', {
  schema: 'deal-document',
  indexes: {
    recent: ({ updated_at }) => [updated_at],
    state: ({ deal, updated_at }) => [deal.state, updated_at],
    timer: ({ deal }) => {
      const timer = nextTimer(deal);
      return timer && [timer.at];
    },
  },
});

/** States in which a deal waits for money of the requester. */
export const UNPAID: readonly DealState[] = ['delivered', 'accepted', 'expired'];

export function withDeal(document: DealDocument, deal: Deal, now: number): DealDocument {
  return { ...document, deal, updated_at: now };
}
