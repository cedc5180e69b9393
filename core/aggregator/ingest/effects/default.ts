import { disputeRatings } from '../../../deals/dispute-ratings.ts';
import { settledBy } from '../../../deals/feedback-gate.ts';
import { defaultDueAt, defaultOf } from '../../../deals/record-end.ts';
import { withAbandoned, withDispute, withUnpaid } from '../../../reputation/evidence.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import { withStanding } from '../../reputation/placed.ts';
import type { StoredDeal } from '../../store/deals.ts';
import { changeAgent } from '../agent-rows.ts';

/** Counts, once, what a party of the deal failed to do, when it can be told by now. */
export function countDefault(tx: Tx, deal: StoredDeal, epochs: Epochs): StoredDeal {
  const failure = deal.counted ? undefined : defaultOf(deal.record, tx.now);
  if (!failure) return deal;
  const now = epochs.at(tx.now);
  changeAgent(tx, failure.by, (agent) => {
    const { standing } = agent;
    const after =
      failure.kind === 'abandoned' ? withAbandoned(standing, epochs.at(failure.at), now) : withUnpaid(standing);
    return withStanding(agent, after, now);
  });
  return { ...deal, counted: true };
}

/** Counts, once, what the end of the deal's dispute says of its parties. */
export function countDispute(tx: Tx, deal: StoredDeal, epochs: Epochs): StoredDeal {
  const ratings = deal.judged ? [] : disputeRatings(deal.record);
  if (ratings.length === 0) return deal;
  const now = epochs.at(tx.now);
  for (const rating of ratings)
    changeAgent(tx, rating.by, (agent) =>
      withStanding(agent, withDispute(agent.standing, rating, epochs.at(rating.at), now), now),
    );
  return { ...deal, judged: true };
}

/** When to look at the deal again although nobody says anything new about it. */
export function dueAt({ record, counted }: StoredDeal, now: number): number | undefined {
  const moments = [counted ? undefined : defaultDueAt(record), settledBy(record)];
  const ahead = moments.filter((moment) => moment !== undefined && moment > now) as number[];
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
}
