import { acceptanceOf, type DealRecord, escrowOf, isOfPair, notariesOf } from './record.ts';
import { endOf, REPORT_MS, ratableEnd } from './record-end.ts';
import { isAnswerTo } from './record-ties.ts';

/** A FEEDBACK, with keys for the rater and the target. */
export interface Feedback {
  readonly rater: string;
  readonly target: string;
  /** The envelope's signed time. */
  readonly at: number;
  /** When the aggregator took it in. */
  readonly received_at: number;
  /** The ACCEPT it names; version 1 names none. */
  readonly answers?: string | undefined;
  /** Whether the rater says that it speaks as the notary of the deal. */
  readonly as_notary?: boolean;
}

export type FeedbackRuling =
  | { readonly ruling: 'counts' }
  /** Keep it in the sender's waiting area and ask again when the record changes, at the latest at `until`. */
  | { readonly ruling: 'waits'; readonly until: number; readonly reason: WaitReason }
  /** Forget it and count the reason. */
  | { readonly ruling: 'drop'; readonly reason: DropReason };

export type WaitReason = 'no_deal' | 'running' | 'not_signed' | 'unsettled';

export type DropReason =
  | 'self'
  | 'no_deal'
  | 'not_a_party'
  | 'not_signed'
  | 'not_a_notary'
  | 'duplicate'
  | 'late'
  | 'no_end';

const DAY = 86_400_000;
/** Feedback counts this long after the deal's end. */
export const FEEDBACK_MS = 30 * DAY;
/** No deal runs longer: 90 days to deliver, 14 to review, 3 to dispute, and the ways of the messages. */
export const LONGEST_DEAL_MS = 120 * DAY;
/** Waiting feedback per sender; one more is refused with `rate_limited`. */
export const MAX_WAITING = 64;

/** Whether a feedback counts for this record of its conversation and its two parties; undefined: no record yet. */
export function feedbackRuling(record: DealRecord | undefined, feedback: Feedback, now: number): FeedbackRuling {
  const { rater, target } = feedback;
  if (rater === target) return drop('self');
  const accepted = record && acceptanceOf(record);
  if (!record || !accepted || !isAnswerTo(record, feedback))
    return waitOr('no_deal', feedback.received_at + REPORT_MS, now);
  if (feedback.as_notary && isOfPair(record, rater)) return drop('not_a_notary');
  if (record.rated.includes(ratedName(rater, target))) return drop('duplicate');
  const end = ratableEnd(record, rater);
  if (!end) return waitOr('running', accepted.at + LONGEST_DEAL_MS, now);
  for (const key of [rater, target])
    if (!isOfPair(record, key) && !hasServed(record, key)) {
      const late = now >= Math.max(end.at, feedback.received_at) + REPORT_MS;
      return late ? drop(isNamed(record, key) ? 'not_signed' : 'not_a_party') : waitForSignature(end.at, feedback);
    }
  if (feedback.at >= end.at + FEEDBACK_MS) return drop('late');
  const settles = settledBy(record);
  if (settles !== undefined && now < settles)
    return { ruling: 'waits', until: settles + REPORT_MS, reason: 'unsettled' };
  return { ruling: 'counts' };
}

/**
 * Until when feedback on an ended deal waits for its escrow to close, because the released sum is part of the
 * feedback's weight; undefined when there is nothing to wait for.
 */
export function settledBy(record: DealRecord): number | undefined {
  const escrow = escrowOf(record);
  if (!escrow?.lock || escrow.closed) return undefined;
  const end = endOf(record);
  return end && end.at + REPORT_MS;
}

/** The record after a feedback that counted: the same one never counts again. */
export function withRating(record: DealRecord, feedback: Pick<Feedback, 'rater' | 'target'>): DealRecord {
  return { ...record, rated: [...record.rated, ratedName(feedback.rater, feedback.target)] };
}

function hasServed(record: DealRecord, key: string): boolean {
  return isNamed(record, key) && record.verdicts.some((verdict) => verdict.by === key);
}

function isNamed(record: DealRecord, key: string): boolean {
  return notariesOf(record).includes(key);
}

function waitForSignature(end: number, feedback: Feedback): FeedbackRuling {
  return { ruling: 'waits', until: Math.max(end, feedback.received_at) + REPORT_MS, reason: 'not_signed' };
}

function waitOr(reason: 'no_deal' | 'running', until: number, now: number): FeedbackRuling {
  if (now < until) return { ruling: 'waits', until, reason };
  return drop(reason === 'running' ? 'no_end' : reason);
}

function drop(reason: DropReason): FeedbackRuling {
  return { ruling: 'drop', reason };
}

function ratedName(rater: string, target: string): string {
  return `${rater}>${target}`;
}
