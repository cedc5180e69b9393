import { REPORT_MS } from '../../../deals/record-end.ts';
import type { FeedbackPayload } from '../../../envelopes/payloads/payloads.ts';
import type { Space } from '../../../storage/space.ts';
import type { Epochs } from '../../epochs.ts';
import { dealLife, dealRef } from '../../store/deals.ts';
import type { Signed } from '../signed.ts';
import type { Effect } from './effect.ts';
import { countWaiting, keepWaiting } from './feedback-waiting.ts';
import { readsOf, type Scope, scopeOf, scopesOfParty } from './scope.ts';

const OUTCOMES = ['negative', 'neutral', 'positive'] as const;

/**
 * FEEDBACK: counts when both signed the deal and it has ended, once for each rater and target; waits while that may
 * still come; is dropped otherwise. Rating oneself is dropped at once.
 */
export function feedbackEffect(
  { id, at, slot, sender }: Signed,
  { conversation_id, target_agent, score, outcome, role }: FeedbackPayload,
  { space, epochs }: { space: Space; epochs: Epochs },
): Effect {
  if (target_agent === sender) return { reads: () => [], apply: () => ['self'] };
  let scope: Scope;
  return {
    async reads() {
      scope = await ratedScope(space, conversation_id, sender, target_agent);
      return readsOf(scope);
    },
    apply(tx) {
      keepWaiting(tx, sender, {
        envelope_id: id,
        conversation_id,
        target: target_agent,
        score,
        outcome: OUTCOMES[outcome]!,
        role: role === 1 ? 'notary' : 'participant',
        at,
        received_at: tx.now,
        slot,
        until: tx.now + REPORT_MS,
      });
      const ref = dealRef(conversation_id, ...scope.pair);
      const deal = tx.get(ref);
      const { record, dropped } = countWaiting(tx, scope, deal?.record, epochs);
      if (deal && record && record !== deal.record)
        tx.put(ref, { ...deal, record }, { ttl: dealLife(record, epochs, deal.due) });
      return dropped;
    },
  };
}

/** The deal that a rating is about: that of the two, or one in which one of them is the notary of the other. */
async function ratedScope(space: Space, conversation: string, rater: string, target: string): Promise<Scope> {
  const pair = await scopeOf(space, conversation, rater, target);
  if (await space.get(dealRef(conversation, rater, target))) return pair;
  const [ofTarget, ofRater] = await Promise.all([
    scopesOfParty(space, conversation, target),
    scopesOfParty(space, conversation, rater),
  ]);
  return (
    ofTarget.find(({ notaries }) => notaries.includes(rater)) ??
    ofRater.find(({ notaries }) => notaries.includes(target)) ??
    pair
  );
}
