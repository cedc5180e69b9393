import { formatUsdc, MAX_USDC } from '../../platform/usdc.ts';
import type { Terms } from './deal.ts';
import type { OfferedTerms } from './events.ts';

const HOUR = 3_600_000;
export const OFFER_MS = 12 * HOUR;
export const DEADLINE_SECS = 86_400;
export const REVIEW_SECS = 86_400;
export const ROUNDS = 2;

const AMOUNT = /^(0|[1-9]\d{0,18})$/;
const LONGEST_OFFER_MS = 30 * 24 * HOUR;
const LONGEST_DEADLINE_SECS = 90 * 86_400;
const LONGEST_REVIEW_SECS = 14 * 86_400;
export const SHORTEST_ESCROW_DEADLINE_SECS = 60;
export const SHORTEST_ESCROW_REVIEW_SECS = 3_600;

/** The bond where escrow is agreed and no offer names one: half of the amount. */
const BOND_BPS = 5_000n;
const FULL_BPS = 10_000;

/** The whole terms of an offer made at `at`: its own, then those of the offer it answers, then the defaults. */
export function completeTerms(offered: OfferedTerms, before: Terms | undefined, at: number): Terms {
  const escrow = offered.escrow ?? before?.escrow ?? false;
  return {
    amount: offered.amount,
    deadline_secs: offered.deadline_secs ?? before?.deadline_secs ?? DEADLINE_SECS,
    review_secs: offered.review_secs ?? before?.review_secs ?? REVIEW_SECS,
    expires_at: offered.expires_at ?? at + OFFER_MS,
    escrow,
    notary: offered.notary === undefined ? (before?.notary ?? null) : offered.notary,
    bond: offered.bond ?? bondOf(offered.amount, escrow, before),
    dispute_bps: offered.dispute_bps ?? before?.dispute_bps ?? 0,
    acceptance: offered.acceptance === undefined ? (before?.acceptance ?? null) : offered.acceptance,
  };
}

/** The bond of an offer that names none: the one before stays, unless it was the usual one of another amount. */
function bondOf(amount: string, escrow: boolean, before: Terms | undefined): string {
  const usual = usualBond(amount, escrow);
  return before && before.bond !== usualBond(before.amount, before.escrow) ? before.bond : usual;
}

function usualBond(amount: string, escrow: boolean): string {
  return escrow && AMOUNT.test(amount) ? ((BigInt(amount) * BOND_BPS) / BigInt(FULL_BPS)).toString() : '0';
}

/** One term that cannot stand; `message` continues the name of the term to a sentence. */
export interface TermProblem {
  readonly term: keyof Terms;
  readonly message: string;
}

/** The first of the terms of an offer made at `at` between these two that cannot stand; undefined when all can. */
export function problemTerm(terms: Terms, at: number, parties: readonly string[]): TermProblem | undefined {
  const wrong = (term: keyof Terms, message: string) => ({ term, message });
  if (!AMOUNT.test(terms.amount) || BigInt(terms.amount) > MAX_USDC)
    return wrong('amount', 'must be a whole number of minor units from 0 to 2^63 - 1');
  if (!whole(terms.expires_at) || terms.expires_at <= at || terms.expires_at > at + LONGEST_OFFER_MS)
    return wrong('expires_at', 'must be after the offer was made and within 30 days');
  if (!within(terms.deadline_secs, 1, LONGEST_DEADLINE_SECS)) return wrong('deadline_secs', 'must be 1 to 7776000');
  if (!within(terms.review_secs, 1, LONGEST_REVIEW_SECS)) return wrong('review_secs', 'must be 1 to 1209600');
  const limit = bondLimit(terms.amount);
  if (!AMOUNT.test(terms.bond) || BigInt(terms.bond) > limit)
    return wrong('bond', `must be at most twice the amount: ${formatUsdc(limit)} USDC (${limit} minor units)`);
  if (!within(terms.dispute_bps, 0, FULL_BPS)) return wrong('dispute_bps', 'must be 0 to 10000');
  if (terms.acceptance !== null && !/^[0-9a-f]{64}$/.test(terms.acceptance))
    return wrong('acceptance', 'must be 64 lower-case hex digits');
  if (terms.notary !== null && parties.includes(terms.notary))
    return wrong('notary', 'must be a third party, neither requester nor provider');
  if (!terms.escrow) return undefined;
  if (terms.amount === '0') return wrong('escrow', 'has nothing to lock: the amount is 0');
  if (terms.deadline_secs < SHORTEST_ESCROW_DEADLINE_SECS)
    return wrong('deadline_secs', `must be at least ${SHORTEST_ESCROW_DEADLINE_SECS} with escrow`);
  if (terms.review_secs < SHORTEST_ESCROW_REVIEW_SECS)
    return wrong('review_secs', `must be at least ${SHORTEST_ESCROW_REVIEW_SECS} with escrow`);
  return undefined;
}

/** The same as a sentence. */
export function termsProblem(terms: Terms, at: number, parties: readonly string[]): string | undefined {
  const wrong = problemTerm(terms, at, parties);
  return wrong && `${wrong.term} ${wrong.message}`;
}

/** Twice the amount, as far as an amount can be carried. */
function bondLimit(amount: string): bigint {
  const twice = 2n * BigInt(amount);
  return twice < MAX_USDC ? twice : MAX_USDC;
}

function within(value: number, least: number, most: number): boolean {
  return whole(value) && value >= least && value <= most;
}

function whole(value: number): boolean {
  return Number.isSafeInteger(value);
}
