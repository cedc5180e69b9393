import { disputeRatings } from '../../../protocol/deals/dispute-ratings.ts';
import { settledBy } from '../../../protocol/deals/feedback-gate.ts';
import { type Default, defaultDueAt, defaultOf } from '../../../protocol/deals/record-end.ts';
import { type Counts, counted } from '../../../protocol/reputation/counts.ts';
import { ABANDONED } from '../../../protocol/reputation/parameters.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import { agents } from '../../store/agents.ts';
import type { StoredDeal } from '../../store/deals.ts';
import { scoreChanges } from '../../store/scores.ts';
import { changeHeir } from '../agent-rows.ts';
import { addDeed, addSayings } from '../score-facts.ts';

/** Counts, once, the failure of a party, when it can be told by now. */
export function countDefault(tx: Tx, deal: StoredDeal, epochs: Epochs): StoredDeal {
  const failure = deal.counted ? undefined : defaultOf(deal.record, tx.now);
  if (!failure) return deal;
  count(tx, failure.by, failure.kind);
  // A party that agreed to lock money and did not is shown; the score counts only undelivered work.
  if (failure.kind === 'abandoned' && failure.locked) addDeed(tx, failure.by, { abandoned: 1 }, failure.at, epochs);
  if (failure.kind === 'abandoned' && !failure.locked) blame(tx, deal, failure, epochs);
  return { ...deal, counted: true };
}

/** The requester has put nothing down, so an undelivered deal counts as much as a rating without money. */
function blame(tx: Tx, { record: { pair } }: StoredDeal, { by: to, at }: Default, epochs: Epochs): void {
  const from = pair[0] === to ? pair[1] : pair[0];
  const [agent] = tx.pull([agents.ref(to)]);
  const keyChanges = agent?.standing.key_changes ?? 0;
  const saying = { kind: 'free', mass: 1, value: ABANDONED, epoch: epochs.at(at) } as const;
  addSayings(tx, { from, to, keyChanges }, [saying], epochs);
  tx.append(scoreChanges, { from, to });
}

/** Counts, once, what the end of the deal's dispute says of its parties. */
export function countDispute(tx: Tx, deal: StoredDeal, epochs: Epochs): StoredDeal {
  const ratings = deal.judged ? [] : disputeRatings(deal.record);
  if (ratings.length === 0) return deal;
  for (const { by, kind, score, weight, at } of ratings) {
    count(tx, by, kind);
    addDeed(tx, by, { disputes: { mass: weight, sum: weight * score } }, at, epochs);
  }
  return { ...deal, judged: true };
}

function count(tx: Tx, key: string, kind: keyof Counts): void {
  changeHeir(tx, key, (agent) => {
    const { standing } = agent;
    return { ...agent, standing: { ...standing, counts: counted(standing.counts, kind), updated: tx.now } };
  });
}

/** When to look at the deal again although nobody says anything new about it. */
export function dueAt({ record, counted }: StoredDeal, now: number): number | undefined {
  const moments = [counted ? undefined : defaultDueAt(record), settledBy(record)];
  const ahead = moments.filter((moment) => moment !== undefined && moment > now) as number[];
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
}
