import { REPORT_MS } from '../../../protocol/deals/record-end.ts';
import type { FeedbackPayload } from '../../../protocol/envelopes/payloads/payloads.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import { agents } from '../../store/agents.ts';
import { dealLife, partyRef, type StoredDeal, waiting } from '../../store/deals.ts';
import { pairRef } from '../../store/scores.ts';
import type { Signed } from '../signed.ts';
import type { Effect } from './effect.ts';
import { countWaiting } from './feedback-waiting.ts';
import { DealName, dealIn, dealsOf, keysOf, partiesIn, partyIn } from './scope.ts';

const OUTCOMES = ['negative', 'neutral', 'positive'] as const;

/**
 * FEEDBACK: counts when both signed the deal and it has ended, once for each rater and target; waits while that may
 * still come; is dropped otherwise. Rating oneself is dropped at once.
 */
export function feedbackEffect(
  { id, at, slot, sender, told }: Signed,
  { conversation_id, target_agent, score, outcome, is_dispute, role }: FeedbackPayload,
  { epochs }: { epochs: Epochs },
): Effect {
  if (target_agent === sender) return { reads: () => [], apply: () => ['self'] };
  const rated = new DealName(conversation_id, sender, target_agent);
  return {
    reads: () => [rated.ref, agents.ref(target_agent), pairRef(sender, target_agent), waiting.ref(sender)],
    apply(tx) {
      const { name, deal, keys } = ratedDeal(tx, rated);
      const scope = { conversation: conversation_id, keys, raters: [sender] };
      const { record, dropped } = countWaiting(tx, scope, deal?.record, epochs, {
        envelope_id: id,
        conversation_id,
        target: target_agent,
        score,
        outcome: OUTCOMES[outcome]!,
        role: role === 1 ? 'notary' : 'participant',
        ...(is_dispute && { is_dispute }),
        at,
        received_at: tx.now,
        slot,
        ...(told?.answers !== undefined && { answers: told.answers }),
        until: tx.now + REPORT_MS,
      });
      if (deal && record && record !== deal.record) {
        const ttl = dealLife(record, epochs, tx.now, deal.due);
        tx.put(name.ref, { ...deal, record }, { ttl });
      }
      return dropped;
    },
  };
}

interface RatedDeal {
  readonly name: DealName;
  readonly deal: StoredDeal | undefined;
  /** The keys that can have to do with the deal. */
  readonly keys: readonly string[];
}

/** The deal that a rating is about: that of the two, or one in which one of them is the notary of the other. */
function ratedDeal(tx: Tx, name: DealName): RatedDeal {
  const {
    conversation,
    pair: [rater, target],
  } = name;
  const deal = dealIn(tx, name);
  if (deal) return { name, deal, keys: keysOf(name, [], [deal.record]) };
  return (
    judgedDeal(tx, conversation, target, rater) ??
    judgedDeal(tx, conversation, rater, target) ?? { name, deal, keys: name.pair }
  );
}

/** The deal of a side that this notary judges. */
function judgedDeal(tx: Tx, conversation: string, side: string, notary: string): RatedDeal | undefined {
  for (const other of dealsOf(partyIn(tx, partyRef(conversation, side)))) {
    const name = new DealName(conversation, side, other);
    const deal = dealIn(tx, name);
    const keys = keysOf(name, partiesIn(tx, name), deal ? [deal.record] : []);
    if (keys.indexOf(notary) > 1) return { name, deal, keys };
  }
  return undefined;
}
