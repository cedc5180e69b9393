import type { SchemaTypes } from '../../schemas/types.ts';
import type { Settings } from '../internal-services.ts';
import type { Draft, SendHook } from '../messaging/outgoing.ts';
import type { Log } from '../platform/log.ts';
import type { Deal } from '../protocol/deals/deal.ts';
import { ratingWaitsFor } from '../protocol/deals/rating-waits.ts';
import type { FeedbackPayload } from '../protocol/envelopes/payloads/payloads.ts';
import type { AgentIdentity } from '../protocol/signer/identity.ts';
import type { Judge, JudgedDeal } from '../services.ts';
import type { Space } from '../storage/space.ts';
import { deals } from './deals/deal-document.ts';
import { feedbackSendHook } from './deals/feedback-send-hook.ts';
import { publicPart, publicPartFor } from './deals/public-part.ts';
import { noted } from './reputation/own-ratings.ts';
import { feedbackOf, feedbackView, notaryFeedbackOf } from './requests/feedback.ts';

export interface RatingsOptions {
  readonly space: Space;
  readonly identity: AgentIdentity;
  readonly settings: Settings;
  /** Knows the deals that this agent is the notary of; there are none without it. */
  readonly judges?: Pick<Judge, 'find'>;
  readonly log: Log;
}

/** The rated deal: one of this node, or one that it is the notary of. */
type Rated = { readonly deal: Deal } | { readonly judged: JudgedDeal };

/** The plugin that keeps the case takes part in signing its rating, and refuses one too many. */
const NOTHING: SendHook = { reads: [], apply() {} };

/** Ratings by this node's agent: of the other side of a deal, or of either side as its notary. */
export class Ratings {
  readonly #options: RatingsOptions;

  constructor(options: RatingsOptions) {
    this.#options = options;
  }

  /** Undefined where this node has no part in the conversation. */
  async find(conversation: string): Promise<Rated | undefined> {
    const { space, judges } = this.#options;
    const document = await space.get(deals.ref(conversation));
    if (document) return { deal: document.deal };
    const judged = await judges?.find(conversation);
    return judged && { judged };
  }

  /** The rating that a request means. */
  async read(request: SchemaTypes['feedback-request']): Promise<FeedbackPayload> {
    const rated = await this.find(request.conversation_id.toLowerCase());
    if (rated && 'judged' in rated) return notaryFeedbackOf(request, rated.judged);
    return feedbackOf(request, rated?.deal, this.#options.identity.address);
  }

  /** The hook that records the rating with its deal, and its public part. */
  async sending(value: FeedbackPayload): Promise<Pick<Draft, 'publicPart'> & { readonly purpose: SendHook }> {
    const rated = await this.find(value.conversation_id);
    if (rated && 'judged' in rated) {
      const { requester, accepted } = rated.judged;
      return { purpose: noted(NOTHING, value), publicPart: () => publicPart(requester, accepted) };
    }
    const shown = publicPartFor({ msgType: 'FEEDBACK', value }, value.conversation_id, this.#options.identity.key);
    const purpose = feedbackSendHook(value);
    return { purpose: rated ? noted(purpose, value, rated.deal) : purpose, publicPart: shown };
  }

  /** The answer to a sent rating. The node logs a rating that does not count yet. */
  async answer(value: FeedbackPayload): Promise<Pick<SchemaTypes['sent'], 'feedback' | 'waits_for'>> {
    const { settings, identity, log } = this.#options;
    const feedback = feedbackView(value);
    const conversation = value.conversation_id;
    const rated = await this.find(conversation);
    if (!rated || 'judged' in rated) return { feedback };
    const waits_for = ratingWaitsFor(rated.deal, identity.address, settings.mesh.report === 'offers');
    if (waits_for === undefined) return { feedback };
    log.info({ conversation, waits_for }, 'a rating was sent and waits at the aggregators');
    return { feedback, waits_for };
  }
}
