import { withRating } from '../../../protocol/deals/feedback-gate.ts';
import { type DealRecord, isOfPair } from '../../../protocol/deals/record.ts';
import {
  type CountedRating,
  type Settlement,
  settlementOf,
  withCounted,
} from '../../../protocol/deals/record-ratings.ts';
import { counted, countedOutcome } from '../../../protocol/reputation/counts.ts';
import type { Saying } from '../../../protocol/reputation/sums.ts';
import type { Tx } from '../../../storage/transaction.ts';
import { totalScore } from '../../agents/ratings.ts';
import type { Epochs } from '../../epochs.ts';
import { agents, type StoredAgent } from '../../store/agents.ts';
import type { WaitingFeedback } from '../../store/deals.ts';
import { activity, interactionCount, interactions, keptId } from '../../store/logs.ts';
import { heirIn, sidesOf } from '../agent-rows.ts';
import { addSayings, changeSayings } from '../score-facts.ts';
import { sayingsOf } from './sayings.ts';

const RECENT_SCORES = 10;

/** Counts one rating: the target's counts, the rater's evidence about it, the interaction, the activity event. */
export function countRating(
  tx: Tx,
  rater: string,
  feedback: WaitingFeedback,
  record: DealRecord,
  epochs: Epochs,
): DealRecord {
  const { envelope_id, target, score, is_dispute = false, conversation_id, slot } = feedback;
  // Counts and scores are those of the agent; the sums of pairs are those of the key, and fade when it is replaced.
  const ref = heirIn(tx, target);
  const [agent, rated_key] = tx.pull([ref, agents.ref(target)]) as [StoredAgent, StoredAgent];
  const outcome = countedOutcome(feedback);
  const { standing } = agent;
  const epoch = epochs.at(feedback.at);

  tx.put(ref, {
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
  const rated = withRating(record, { rater, target });
  const isOfSides = isOfPair(record, rater) && isOfPair(record, target);
  const settled = isOfSides ? settlementOf(record) : undefined;
  const { key_changes } = rated_key.standing;
  const rating: CountedRating = {
    by: rater === record.pair[0] ? 0 : 1,
    ...{ value: score, epoch },
    ...(key_changes > 0 && { key_changes }),
    ...(settled && { settled }),
  };
  const sayings = isOfSides
    ? saidBy(record, rating, settled)
    : sayingsOf({ rater, target, value: score, epoch }, undefined);
  addSayings(tx, { from: rater, to: target, keyChanges: key_changes }, sayings, epochs);
  const role = isOfPair(record, rater) ? 'participant' : 'notary';
  const told = { score, outcome, conversation_id, ...keptId(envelope_id), slot, at: tx.now };
  tx.append(interactions, { sender: rater, target_agent: target, role, ...(is_dispute && { is_dispute }), ...told });
  tx.append(activity, { event_type: 'FEEDBACK', ...sidesOf(tx, rater, target), ...told });
  tx.add(interactionCount, 1);
  return isOfSides ? withCounted(rated, rating) : rated;
}

/**
 * Counts ratings anew when the ledger has told more about their deal. An aggregator hears of a rating and of its
 * money by two ways, and the order in which they arrive must change nothing.
 */
export function recountRatings(tx: Tx, record: DealRecord, epochs: Epochs): DealRecord {
  const { ratings = [], pair } = record;
  const settled = ratings.length > 0 ? settlementOf(record) : undefined;
  if (!settled) return record;
  const outdated = ratings.filter((rating) => !isSame(rating.settled, settled));
  let current = record;
  for (const rating of outdated) {
    const [from, to] = [pair[rating.by], pair[1 - rating.by]!];
    const [agent] = tx.pull([agents.ref(to)]);
    const keyChanges = { before: rating.key_changes ?? 0, now: agent?.standing.key_changes ?? 0 };
    const before = saidBy(record, rating, rating.settled);
    changeSayings(tx, { from, to, keyChanges }, { before, after: saidBy(record, rating, settled) }, epochs);
    current = withCounted(current, { ...rating, settled });
  }
  return current;
}

function saidBy({ pair }: DealRecord, { by, value, epoch }: CountedRating, settled: Settlement | undefined): Saying[] {
  const rated = { rater: pair[by], target: pair[1 - by]!, value, epoch };
  if (!settled) return sayingsOf(rated, undefined);
  const { payer, released, returned } = settled;
  const sides = { requester: pair[payer], provider: pair[1 - payer]! };
  return sayingsOf(rated, { ...sides, released: BigInt(released), returned: BigInt(returned) });
}

function isSame(one: Settlement | undefined, other: Settlement): boolean {
  return one?.payer === other.payer && one.released === other.released && one.returned === other.returned;
}
