import { lastOffer, type Terms } from '../../protocol/deals/deal.ts';
import { offeredTerms } from '../../protocol/deals/offered-terms.ts';
import { completeTerms } from '../../protocol/deals/terms.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import type { Space } from '../../storage/space.ts';
import type { Caps } from '../money/caps.ts';
import { checkDealCost } from '../money/spendings.ts';
import { deals } from './deal-document.ts';

export interface OfferCapsOptions {
  readonly space: Space;
  readonly self: string;
  readonly now: () => number;
  /** Undefined on a node that has no wallet to spend from. */
  readonly caps: Caps | undefined;
}

/** Keeps this node as a requester from agreeing to amounts that its caps do not let it lock or pay. */
export class OfferCaps {
  readonly #options: OfferCapsOptions;

  constructor(options: OfferCapsOptions) {
    this.#options = options;
  }

  /** Throws `spending_cap` before this node binds itself, by an offer of its own or by ACCEPT, to more than one deal may cost. */
  async check(conversation: string, payload: TypedPayload): Promise<void> {
    const { caps } = this.#options;
    const terms = caps && (await this.#termsOf(conversation, payload));
    if (terms) checkDealCost(caps, BigInt(terms.amount) + BigInt(terms.bond));
  }

  /** The terms to which this message would bind this node as the requester; undefined where it binds it to none. */
  async #termsOf(conversation: string, { msgType, value }: TypedPayload): Promise<Terms | undefined> {
    const { space, self, now } = this.#options;
    if (msgType === 'PROPOSE') return completeTerms(offeredTerms(value), undefined, now());
    if (msgType !== 'ACCEPT' && msgType !== 'COUNTER') return undefined;
    const document = await space.get(deals.ref(conversation));
    if (document?.deal.requester !== self) return undefined;
    const before = lastOffer(document.deal);
    return msgType === 'COUNTER' ? completeTerms(offeredTerms(value), before, now()) : before;
  }
}
