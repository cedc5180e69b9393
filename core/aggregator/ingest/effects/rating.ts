import { countedOutcome, OPINION_LIFETIME, rate } from '../../../reputation/opinion.ts';
import { scoreAt } from '../../../reputation/score.ts';
import { ratingWeight } from '../../../reputation/weight.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import { withStanding } from '../../reputation/placed.ts';
import { agents, type StoredAgent } from '../../store/agents.ts';
import { opinionRef, type WaitingFeedback } from '../../store/deals.ts';
import { activity, interactionCount, interactions } from '../../store/logs.ts';

/**
 * Counts one rating: the target's standing and place, the rater's opinion, the interaction, the activity event. `net` is
 * the settled USDC it weighs by.
 */
export function countRating(tx: Tx, rater: string, feedback: WaitingFeedback, net: bigint, epochs: Epochs): void {
  const { target, score, role, conversation_id, slot } = feedback;
  const epoch = epochs.at(tx.now);
  const [by, of] = tx.pull([agents.ref(rater), agents.ref(target)]) as [StoredAgent, StoredAgent];
  const outcome = countedOutcome(feedback);
  const weight = ratingWeight(net, scoreAt(by.standing, epoch));
  const [held] = tx.pull([opinionRef(rater, target)]);
  const { standing, opinion } = rate(
    of.standing,
    held,
    { score, outcome, weight, epoch: epochs.at(feedback.at) },
    epoch,
  );

  tx.put(agents.ref(target), withStanding(of, standing, epoch));
  tx.put(opinionRef(rater, target), opinion, { ttl: OPINION_LIFETIME * epochs.ms });
  const told = { score, outcome, conversation_id, slot, at: tx.now };
  tx.append(interactions, { sender: rater, target_agent: target, role, ...told });
  tx.append(activity, { event_type: 'FEEDBACK', agent_id: rater, target_agent_id: target, ...told });
  tx.add(interactionCount, 1);
}
