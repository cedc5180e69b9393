import { MeshError } from '../../contracts/errors.ts';
import { lastOffer } from '../../protocol/deals/deal.ts';
import { offeredTerms } from '../../protocol/deals/offered-terms.ts';
import { completeTerms } from '../../protocol/deals/terms.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import type { Space } from '../../storage/space.ts';
import { deals, openActions } from '../deals/deal-document.ts';

/** The reason why an agent that lives here beside the node's own cannot take a money step. */
export const NO_WALLET = 'This agent is hosted: its node pays nobody for it.';

export interface HostedTermsOptions {
  readonly space: Space;
  readonly self: string;
  readonly now: () => number;
}

/** Keeps a hosted agent from promising an escrow, which neither it nor its node could lock, name a delivery in or release. */
export class HostedTerms {
  readonly #options: HostedTermsOptions;

  constructor(options: HostedTermsOptions) {
    this.#options = options;
  }

  /** Throws `invalid_transition` before the agent binds itself, by an offer of its own or by ACCEPT, to an escrow. */
  async check(conversation: string, { msgType, value }: TypedPayload): Promise<void> {
    if (msgType !== 'PROPOSE' && msgType !== 'COUNTER' && msgType !== 'ACCEPT') return;
    const { space, self, now } = this.#options;
    const document = msgType === 'PROPOSE' ? undefined : await space.get(deals.ref(conversation));
    const before = document && lastOffer(document.deal);
    const terms = msgType === 'ACCEPT' ? before : completeTerms(offeredTerms(value), before, now());
    if (!terms?.escrow) return;
    const allowed_actions = document ? openActions(document, self, now()).filter((action) => action === 'reject') : [];
    const detail = `${NO_WALLET} It agrees to no escrow; offer or ask for the deal with escrow: false.`;
    throw new MeshError('invalid_transition', { detail, extra: { allowed_actions } });
  }
}
