import type { Deal } from '../../protocol/deals/deal.ts';
import type { MessageEvent, ProposeEvent } from '../../protocol/deals/events.ts';
import { offeredTerms } from '../../protocol/deals/offered-terms.ts';
import type { ProposePayload, TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';

/** The facts about an envelope that its deal needs: its id, its signer, its time and its public part. */
export interface Signed {
  readonly id: string;
  readonly by: string;
  readonly at: number;
  /** From the public part of a deal message of version 2. */
  readonly payer?: string;
  readonly answers?: string;
}

/** The types that move a deal. */
export const DEAL_MESSAGES = ['PROPOSE', 'COUNTER', 'ACCEPT', 'REJECT', 'DELIVER', 'DISPUTE', 'VERDICT'] as const;
export type DealMessage = (typeof DEAL_MESSAGES)[number];

export function isDealMessage(name: string): name is DealMessage {
  return (DEAL_MESSAGES as readonly string[]).includes(name);
}

export function proposeEvent(signed: Signed, conversation: string, to: string, payload: ProposePayload): ProposeEvent {
  const rounds = payload.max_rounds === undefined ? {} : { max_rounds: payload.max_rounds };
  return { ...signed, type: 'propose', conversation, to, terms: offeredTerms(payload), ...rounds };
}

/** The event of any deal message but the first. An ACCEPT of version 1 may name no offer: it means the other side's last. */
export function messageEvent(signed: Signed, { msgType, value }: TypedPayload, deal: Deal): MessageEvent | undefined {
  switch (msgType) {
    case 'COUNTER':
      return { ...signed, type: 'counter', terms: offeredTerms(value) };
    case 'ACCEPT':
      return {
        ...signed,
        type: 'accept',
        offer: value.offer_id ?? deal.offers.findLast(({ by }) => by !== signed.by)?.id ?? '',
        amount: value.amount_usdc_micro.toString(),
      };
    case 'REJECT':
      return { ...signed, type: 'reject' };
    case 'DELIVER':
      return { ...signed, type: 'deliver' };
    case 'DISPUTE':
      return { ...signed, type: 'dispute', ...(value.offer_bps !== undefined && { offer_bps: value.offer_bps }) };
    case 'VERDICT':
      return { ...signed, type: 'verdict', outcome: value.outcome };
    default:
      return undefined;
  }
}
