import type { SchemaTypes } from '../../../schemas/types.ts';
import type { ReceiveHook } from '../../messaging/incoming.ts';
import type { SendHook } from '../../messaging/outgoing.ts';
import { type Deal, lastOffer } from '../../protocol/deals/deal.ts';
import type { FeedbackPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { collection } from '../../storage/declarations.ts';
import { deals } from '../deals/deal-document.ts';

export type RatingTally = SchemaTypes['rating-tally'];
export type RatingsWith = SchemaTypes['ratings-with'];

/** The ratings between this agent and another one, as sums: by the other's id. */
export const ratingsWith = collection<RatingsWith>('ratings-with', { schema: 'ratings-with' });
/** Ratings of this agent that are in the sums: by conversation and rater. */
const counted = collection<{ readonly at: number }>('ratings-counted', { schema: 'rating-counted' });

const NONE: RatingTally = { count: 0, positive: 0, neutral: 0, negative: 0, total_score: 0 };
export const NO_RATINGS: RatingsWith = { given: NONE, given_as_notary: NONE, received: NONE };

/** The same sending, which also adds the rating to the sums of the rated agent. `deal` is one in which this node is a party. */
export function noted(hook: SendHook, value: FeedbackPayload, deal?: Deal): SendHook {
  const ref = ratingsWith.ref(value.target_agent);
  const isNotary = deal !== undefined && lastOffer(deal).notary === value.target_agent;
  const of = isNotary ? 'given_as_notary' : 'given';
  return {
    reads: [...hook.reads, ref],
    apply(tx, envelope, id) {
      hook.apply(tx, envelope, id);
      const before = tx.get(ref) ?? NO_RATINGS;
      tx.put(ref, { ...before, [of]: plus(before[of], value) });
    },
  };
}

/**
 * Adds a rating of this agent to the sums of its rater, who has to be the other side or the notary of an accepted deal of
 * this node; each rater counts once a deal. Any other rating is nobody's experience here and changes nothing.
 */
export function ratingReceiveHook(self: string): ReceiveHook {
  return {
    reads({ sender, payload }) {
      if (payload.msgType !== 'FEEDBACK') return [];
      const { deal, mark, sums } = refsOf(payload.value, sender);
      return [deal, mark, sums];
    },
    apply(tx, { sender, payload }) {
      if (payload.msgType !== 'FEEDBACK' || payload.value.target_agent !== self) return 'accepted';
      const refs = refsOf(payload.value, sender);
      const deal = tx.get(refs.deal)?.deal;
      if (!deal?.accepted || tx.get(refs.mark) || sender === self) return 'accepted';
      if (![deal.requester, deal.provider, lastOffer(deal).notary].includes(sender)) return 'accepted';
      const before = tx.get(refs.sums) ?? NO_RATINGS;
      tx.put(refs.mark, { at: tx.now });
      tx.put(refs.sums, { ...before, received: plus(before.received, payload.value) });
      return 'accepted';
    },
  };
}

function refsOf({ conversation_id }: FeedbackPayload, sender: string) {
  const deal = deals.ref(conversation_id.toLowerCase());
  return { deal, mark: counted.ref(`${deal.id}:${sender}`), sums: ratingsWith.ref(sender) };
}

function plus(before: RatingTally, { score, outcome }: FeedbackPayload): RatingTally {
  const kind = (['negative', 'neutral', 'positive'] as const)[outcome];
  return {
    ...before,
    count: before.count + 1,
    total_score: before.total_score + score,
    ...(kind && { [kind]: before[kind] + 1 }),
  };
}
