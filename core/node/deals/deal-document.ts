import type { SchemaTypes } from '../../../schemas/types.ts';
import { allowedActions } from '../../protocol/deals/actions.ts';
import { advance } from '../../protocol/deals/advance.ts';
import { type Deal, lastOffer } from '../../protocol/deals/deal.ts';
import type { Action, LedgerEvent } from '../../protocol/deals/events.ts';
import { nextTimer } from '../../protocol/deals/timers.ts';
import { formatConversationId } from '../../protocol/identity/ids.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import type { Named } from '../partner-keys.ts';

/** A USDC transfer that pays a deal: stored, signed, before it is sent. */
export type DealPayment = SchemaTypes['deal-payment'];
export type EarlyPayment = SchemaTypes['early-payment'];
export type DeliveryFindings = NonNullable<SchemaTypes['deal-document']['findings']>;
export type Sighting = NonNullable<SchemaTypes['deal-document']['ledger']>;

/** A deal with what this node remembers beside it. */
export interface DealDocument {
  readonly deal: Deal;
  /** The `message` of the first offer. */
  readonly message: string;
  /** Whether this node has rated the other side. */
  readonly rated: boolean;
  /** The latest transfer this node made for it. */
  readonly payment: DealPayment | null;
  /** Transfers that were seen before the ACCEPT they pay for. */
  readonly early_payments: readonly EarlyPayment[];
  /** Of the delivery, once something is known. */
  readonly findings?: DeliveryFindings;
  /** Of the escrow account, once it was seen. */
  readonly ledger?: Sighting;
  /** The address that the first offer came from, when it came from a key without business with this node. */
  readonly stranger?: string;
  /** The asset of a registry by which this side named the provider. */
  readonly named?: string;
  readonly updated_at: number;
}

/** Every deal this node is a party of, by conversation id. */
export const deals = collection<
  DealDocument,
  'recent' | 'state' | 'timer' | 'paying' | 'owed' | 'ledger' | 'requester' | 'partner' | 'stranger' | 'with'
>('deals', {
  schema: 'deal-document',
  indexes: {
    recent: ({ updated_at }) => [updated_at],
    state: ({ deal, updated_at }) => [deal.state, updated_at],
    timer: ({ deal }) => {
      const timer = nextTimer(deal);
      return timer && [timer.at];
    },
    paying: ({ payment, updated_at }) => (payment?.status === 'recorded' ? [updated_at] : undefined),
    ledger: ({ deal }) => (isOnLedger(deal) ? [deal.accepted!.at] : undefined),
    requester: ({ deal }) => (deal.escrow ? [deal.requester, deal.escrow.locked_at] : undefined),
    partner: (document) => (isStrangers(document) ? undefined : [[document.deal.requester], [document.deal.provider]]),
    stranger: ({ deal, stranger, updated_at }) =>
      stranger !== undefined && isOpenOffer(deal) ? [updated_at] : undefined,
    with: ({ deal, updated_at }) => [
      [deal.requester, updated_at],
      [deal.provider, updated_at],
    ],
    owed: ({ deal }) => (isOwed(deal) ? [deal.provider] : undefined),
  },
});

/** Whether a conversation is that of a deal. */
export async function hasDeal(space: Space, conversation: Uint8Array): Promise<boolean> {
  return (await space.get(deals.ref(formatConversationId(conversation)))) !== undefined;
}

/** Whether the agent has had business with a key: it made it an offer, or a deal with it has moved money. */
export async function isPartner(space: Space, key: string): Promise<boolean> {
  return (await space.page(deals, { index: 'partner', prefix: [key], limit: 1 })).length > 0;
}

/** Whether it was a stranger's idea and nobody has put money into it. */
export function isStrangers({ deal, stranger }: DealDocument): boolean {
  return stranger !== undefined && deal.paid === '0' && !deal.escrow;
}

/** Whether an offer waits for an answer. */
export function isOpenOffer({ state }: Deal): boolean {
  return state === 'proposed' || state === 'countered';
}

export function newDeal(
  deal: Deal,
  message: string,
  now: number,
  beside: Pick<DealDocument, 'stranger' | 'named'>,
): DealDocument {
  return { deal, message, rated: false, payment: null, early_payments: [], updated_at: now, ...beside };
}

/** The provider of a deal as this side named it. */
export function namedProvider({ deal, named }: DealDocument): Named {
  return { key: deal.provider, ...(named !== undefined && { asset: named }) };
}

/** The document after its deal has moved. Early payments count from the ACCEPT on. */
export function withDeal(document: DealDocument, deal: Deal, now: number): DealDocument {
  if (!deal.accepted) return { ...document, deal, updated_at: now };
  const paid = document.early_payments.reduce((before, payment) => {
    const step = advance(before, paidEvent(payment, now));
    return step.ok ? step.deal : before;
  }, deal);
  return { ...document, deal: paid, early_payments: [], updated_at: now };
}

export function paidEvent({ signature, from, amount }: EarlyPayment, now: number): LedgerEvent {
  return { type: 'paid', id: signature, by: from, at: now, amount };
}

/** The document with new findings about a delivery. Findings about an earlier delivery are dropped. */
export function withFindings(document: DealDocument, news: DeliveryFindings): DealDocument {
  const { findings } = document;
  return { ...document, findings: findings?.delivery === news.delivery ? { ...findings, ...news } : news };
}

/** The actions that the deal allows a key now; `feedback` only until the node has rated. */
export function openActions({ deal, rated }: DealDocument, who: string, now: number): Action[] {
  return allowedActions(deal, who, now).filter((action) => !(action === 'feedback' && rated));
}

/** Whether something can be locked for it, or is. */
function isOnLedger(deal: Deal): boolean {
  return deal.accepted !== null && !deal.final && lastOffer(deal).amount !== '0';
}

function isOwed(deal: Deal): boolean {
  return deal.accepted !== null && !deal.final && !deal.escrow && lastOffer(deal).amount !== '0';
}
