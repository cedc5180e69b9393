import { feedbackRuling, MAX_WAITING, withRating } from '../../../deals/feedback-gate.ts';
import type { DealRecord } from '../../../deals/record.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import { type WaitingFeedback, waiting } from '../../store/deals.ts';
import { type DropReason, NoRoom } from './effect.ts';
import { countRating } from './rating.ts';
import type { Scope } from './scope.ts';
import { settledFor } from './settled.ts';

/** Puts feedback into its rater's waiting area; there it is counted as soon as its deal allows. */
export function keepWaiting(tx: Tx, rater: string, feedback: WaitingFeedback): void {
  const items = (tx.get(waiting.ref(rater))?.items ?? []).filter(({ until }) => until > tx.now);
  if (items.length >= MAX_WAITING) throw new NoRoom('too much feedback of this key waits for its deals to end');
  store(tx, rater, [...items, feedback]);
}

/** Counts, drops or keeps every feedback that waits for this deal. `record` is undefined while there is none. */
export function countWaiting<R extends DealRecord | undefined>(
  tx: Tx,
  { conversation, pair, notaries }: Scope,
  record: R,
  epochs: Epochs,
): { readonly record: R; readonly dropped: readonly DropReason[] } {
  const keys = [...pair, ...notaries];
  const dropped: DropReason[] = [];
  let current: R = record;
  for (const rater of keys) {
    const items = tx.get(waiting.ref(rater))?.items ?? [];
    const kept = items.flatMap((item): WaitingFeedback[] => {
      if (item.conversation_id !== conversation || !keys.includes(item.target)) return still(item, tx.now, dropped);
      const feedback = { rater, target: item.target, at: item.at, received_at: item.received_at };
      const ruling = feedbackRuling(current, feedback, tx.now, () => false);
      if (ruling.ruling === 'waits') return [{ ...item, until: ruling.until }];
      if (ruling.ruling === 'drop') dropped.push(ruling.reason);
      else {
        countRating(tx, rater, item, settledFor(tx, current!, rater, item.target, epochs), epochs);
        current = withRating(current!, feedback) as R;
      }
      return [];
    });
    if (kept.length !== items.length || kept.some((item, index) => item.until !== items[index]!.until)) {
      store(tx, rater, kept);
    }
  }
  return { record: current, dropped };
}

function still(item: WaitingFeedback, now: number, dropped: DropReason[]): WaitingFeedback[] {
  if (item.until > now) return [item];
  dropped.push('expired');
  return [];
}

function store(tx: Tx, rater: string, items: readonly WaitingFeedback[]): void {
  const last = Math.max(...items.map(({ until }) => until));
  if (items.length === 0) tx.del(waiting.ref(rater));
  else tx.put(waiting.ref(rater), { items }, { ttl: Math.max(1, last - tx.now) });
}
