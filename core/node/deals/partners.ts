import { MeshError } from '../../contracts/errors.ts';
import { lastOffer } from '../../protocol/deals/deal.ts';
import { offeredTerms } from '../../protocol/deals/offered-terms.ts';
import {
  NOBODY,
  type PartnerLimits,
  type PartnerRecord,
  partnerProblem,
  withDealOf,
} from '../../protocol/deals/partner-limits.ts';
import { completeTerms } from '../../protocol/deals/terms.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import type { Found } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, deals, openActions } from './deal-document.ts';

export interface PartnersOptions {
  readonly space: Space;
  readonly self: string;
  readonly now: () => number;
  readonly limits: PartnerLimits;
}

const PAGE = 200;
/** Deals with one requester that count, the newest ones. */
const MOST = 2_000;

/** Judges requesters by this node's own deals with them, and limits the terms on which it works for each. */
export class Partners {
  readonly #options: PartnersOptions;

  constructor(options: PartnersOptions) {
    this.#options = options;
  }

  /**
   * Throws `invalid_transition` before this node's provider binds itself, by ACCEPT or by an offer of its own, to more
   * than its owner risks with that requester.
   */
  async check(conversation: string, { msgType, value }: TypedPayload): Promise<void> {
    if (msgType !== 'ACCEPT' && msgType !== 'COUNTER') return;
    const { space, self, now, limits } = this.#options;
    const document = await space.get(deals.ref(conversation));
    if (!document || document.deal.provider !== self) return;
    const before = lastOffer(document.deal);
    const terms = msgType === 'COUNTER' ? completeTerms(offeredTerms(value), before, now()) : before;
    const problem = partnerProblem(terms, await this.#recordOf(document.deal.requester), limits);
    if (problem === undefined) return;
    const detail = `This node does not bind itself to ${document.deal.requester} on these terms: ${problem}.`;
    const allowed_actions = openActions(document, self, now()).filter((action) => action !== 'accept');
    throw new MeshError('invalid_transition', { detail, extra: { allowed_actions } });
  }

  async #recordOf(requester: string): Promise<PartnerRecord> {
    let record = NOBODY;
    let after: Found<DealDocument> | undefined;
    for (let read = 0; read < MOST; read += PAGE) {
      const rows = await this.#options.space.page(deals, {
        ...{ index: 'requester', prefix: [requester], reverse: true, limit: PAGE },
        ...(after && { after }),
      });
      for (const { value } of rows) record = withDealOf(record, value.deal);
      if (rows.length < PAGE) break;
      after = rows.at(-1);
    }
    return record;
  }
}
