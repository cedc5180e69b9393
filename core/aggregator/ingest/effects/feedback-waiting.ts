import { feedbackRuling, MAX_WAITING } from '../../../protocol/deals/feedback-gate.ts';
import type { DealRecord } from '../../../protocol/deals/record.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import { type WaitingFeedback, waiting } from '../../store/deals.ts';
import { type DropReason, NoRoom } from './effect.ts';
import { countRating } from './rating.ts';

/** The raters to look at for waiting feedback, and all keys that can have to do with the deal. */
export interface WaitingScope {
  readonly conversation: string;
  readonly keys: readonly string[];
  readonly raters: readonly string[];
}

/**
 * Counts, drops or keeps every feedback that waits for this deal, and `fresh`, which has just come from the only rater.
 * `record` is undefined while there is none.
 */
export function countWaiting<R extends DealRecord | undefined>(
  tx: Tx,
  { conversation, keys, raters }: WaitingScope,
  record: R,
  epochs: Epochs,
  fresh?: WaitingFeedback,
): { readonly record: R; readonly dropped: readonly DropReason[] } {
  const dropped: DropReason[] = [];
  let current: R = record;
  for (const [place, found] of tx.pull(raters.map((rater) => waiting.ref(rater))).entries()) {
    const rater = raters[place]!;
    const held = found?.items ?? [];
    const items = fresh ? withFresh(held, fresh, tx.now) : held;
    const kept = items.flatMap((item): WaitingFeedback[] => {
      if (item.conversation_id !== conversation || !keys.includes(item.target)) return still(item, tx.now, dropped);
      const { target, at, received_at, answers } = item;
      const feedback = { rater, target, at, received_at, answers, as_notary: item.role === 'notary' };
      const ruling = feedbackRuling(current, feedback, tx.now);
      if (ruling.ruling === 'waits') return [{ ...item, until: ruling.until }];
      if (ruling.ruling === 'drop') dropped.push(ruling.reason);
      else {
        current = countRating(tx, rater, item, current!, epochs) as R;
      }
      return [];
    });
    if (kept.length !== held.length || kept.some((item, index) => !isSame(item, held[index]!))) store(tx, rater, kept);
  }
  return { record: current, dropped };
}

function withFresh(held: readonly WaitingFeedback[], fresh: WaitingFeedback, now: number): WaitingFeedback[] {
  const live = held.filter(({ until }) => until > now);
  if (live.length >= MAX_WAITING) throw new NoRoom('too much feedback of this key waits for its deals to end');
  return [...live, fresh];
}

function isSame(one: WaitingFeedback, other: WaitingFeedback): boolean {
  return one.envelope_id === other.envelope_id && one.until === other.until;
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
