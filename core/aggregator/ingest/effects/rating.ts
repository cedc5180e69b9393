import type { DealRecord } from '../../../deals/record.ts';
import { counted, countedOutcome } from '../../../reputation/counts.ts';
import type { Tx } from '../../../storage/transaction.ts';
import { totalScore } from '../../agents/ratings.ts';
import type { Epochs } from '../../epochs.ts';
import { agents, type StoredAgent } from '../../store/agents.ts';
import type { WaitingFeedback } from '../../store/deals.ts';
import { activity, interactionCount, interactions } from '../../store/logs.ts';
import { sidesOf } from '../agent-rows.ts';
import { addSayings } from '../score-facts.ts';
import { sayingsOf, settledOf } from './sayings.ts';

const RECENT_SCORES = 10;

/** Counts one rating: the target's counts, what the rater said of it, the interaction, the activity event. */
export function countRating(
  tx: Tx,
  rater: string,
  feedback: WaitingFeedback,
  record: DealRecord,
  epochs: Epochs,
): void {
  const { target, score, role, is_dispute = false, conversation_id, slot } = feedback;
  const [agent] = tx.pull([agents.ref(target)]) as [StoredAgent];
  const outcome = countedOutcome(feedback);
  const { standing } = agent;
  const epoch = epochs.at(feedback.at);

  tx.put(agents.ref(target), {
    ...agent,
    standing: {
      ...standing,
      active: Math.max(standing.active, epoch),
      counts: counted(standing.counts, outcome),
      scores: [score, ...standing.scores].slice(0, RECENT_SCORES),
      total: totalScore(agent) + score,
      updated: tx.now,
    },
  });
  const sayings = sayingsOf({ rater, target, value: score, epoch }, settledOf(tx, record));
  addSayings(tx, { from: rater, to: target, keyChanges: standing.key_changes }, sayings, epochs);
  const told = { score, outcome, conversation_id, slot, at: tx.now };
  tx.append(interactions, { sender: rater, target_agent: target, role, ...(is_dispute && { is_dispute }), ...told });
  tx.append(activity, { event_type: 'FEEDBACK', ...sidesOf(tx, rater, target), ...told });
  tx.add(interactionCount, 1);
}
