/**
 * One deal of one conversation, as a node keeps it: a plain JSON document of signed facts, and what they amount to.
 * Keys, ids and signatures are text in the API's encoding; amounts are digit strings of minor USDC units; moments are
 * Unix milliseconds and, for messages, the signed time of the envelope, so that both nodes compute the same ends.
 */
export interface Deal {
  readonly conversation: string;
  readonly requester: string;
  readonly provider: string;
  /** `state`, `reason`, `against` and `final` follow from the facts below and `clock`; see judgement.ts. */
  readonly state: DealState;
  readonly reason: DealReason | null;
  /** The key of the party that let the deal lapse; null when nobody is to blame. */
  readonly against: string | null;
  /** Nothing can change the state any more. */
  readonly final: boolean;
  /** Counters allowed to each side. */
  readonly max_rounds: number;
  /** The proposal and every counter, oldest first; the last one is the offer on the table, or the agreed terms. */
  readonly offers: readonly Offer[];
  /** The REJECT of the last offer's author. */
  readonly withdrawn: Stamp | null;
  /** The REJECT of the other side. */
  readonly declined: Stamp | null;
  readonly accepted: Stamp | null;
  readonly delivery: Stamp | null;
  readonly dispute: (Stamp & DisputeOffer) | null;
  readonly verdict: (Stamp & { readonly outcome: VerdictOutcome }) | null;
  /** Sum and number of the plain USDC payments that name this deal. */
  readonly paid: string;
  readonly payments: number;
  readonly escrow: Escrow | null;
  /** The latest moment at which the deal was looked at. */
  readonly clock: number;
  /** When a ledger step was last asked for; 0 before the first time. */
  readonly reminded_at: number;
  readonly history: readonly HistoryEntry[];
}

export const DEAL_STATES = [
  'proposed',
  'countered',
  'accepted',
  'delivered',
  'settled',
  'refunded',
  'rejected',
  'expired',
  'abandoned',
  'disputed',
  'contested',
  'decided',
  'verdict',
  'split',
] as const;
export type DealState = (typeof DEAL_STATES)[number];

/** Why a deal is `rejected`, `expired` or `abandoned`. */
export type DealReason =
  | 'declined'
  | 'withdrawn'
  | 'offer_expired'
  | 'not_locked'
  | 'not_delivered'
  | 'not_paid'
  | 'no_verdict';

export type VerdictOutcome = 'approve' | 'reject';

export interface Terms {
  readonly amount: string;
  /** Seconds from ACCEPT within which the provider delivers. */
  readonly deadline_secs: number;
  /** Seconds from the delivery within which the requester pays or disputes. */
  readonly review_secs: number;
  /** The offer can be answered before this moment. */
  readonly expires_at: number;
  /** Whether the requester must lock the amount in escrow within an hour of ACCEPT. */
  readonly escrow: boolean;
  readonly notary: string | null;
  /** Minor units that the requester locks besides the amount, and loses where it disputes wrongly (docs/program.md). */
  readonly bond: string;
  /** The lowest share of the amount, in basis points, that a dispute may offer the provider. */
  readonly dispute_bps: number;
  /** SHA-256, in hex, of the schema or test program that decides whether a delivery is what was asked for. */
  readonly acceptance: string | null;
}

/**
 * The id of an envelope, the key that signed it and the signed time, in Unix milliseconds; for ledger events see
 * events.ts.
 */
export interface Stamp {
  readonly id: string;
  readonly by: string;
  readonly at: number;
}

export interface Offer extends Terms, Stamp {}

export interface DisputeOffer {
  /** The share of the amount, in basis points, that the provider shall have; the lowest the terms allow if not given. */
  readonly offer_bps?: number;
}

/** The deal's escrow account, as finalised ledger events report it. Times are Unix milliseconds. */
export interface Escrow {
  readonly locked_at: number;
  readonly delivered_at: number | null;
  /** The DELIVER that the provider named on the ledger. */
  readonly delivery: string | null;
  readonly disputed_at: number | null;
  /** The provider's share that the dispute offers, in basis points; null before one. */
  readonly offer_bps: number | null;
  readonly contested_at: number | null;
  /** How long a dispute can be contested, and a contest decided, in seconds: a number of the ledger. */
  readonly dispute_secs: number;
  readonly outcome: EscrowOutcome | null;
  /** Payouts since the escrow ended, in minor units; with `remaining` they add up to the amount and the bond. */
  readonly to_provider: string;
  readonly to_requester: string;
  readonly burnt: string;
  /** Minor units owed to accounts that cannot receive them yet; anyone can have them paid by `split`. */
  readonly remaining: string;
}

/** The payouts of a step on the ledger, in minor units. */
export type EscrowPayout = Pick<Escrow, 'to_provider' | 'to_requester' | 'burnt' | 'remaining'>;

/**
 * How the escrow ended: paid (released by the requester, claimed after the review), given back (refunded by the
 * provider, reclaimed after the deadline), decided by the notary after a contest, or split (the offer of an
 * uncontested dispute stood, or the disputed money of an undecided contest burnt).
 */
export type EscrowOutcome = 'released' | 'claimed' | 'refunded' | 'reclaimed' | 'decided' | 'split';

export interface HistoryEntry extends Stamp {
  readonly event: string;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** How long an envelope may travel: older ones are refused by every node. */
export const TRANSIT_MS = 4 * DAY;
/** An answer may seem this much older than the message it answers: two clocks, each 30 s off. */
export const SKEW_MS = 60_000;
/** From ACCEPT to the lock, where one was agreed. */
export const LOCK_MS = HOUR;
/** From the end of the review to the last moment for a verdict. */
export const VERDICT_MS = 3 * DAY;
/** How long a dispute can be contested, and a contest decided, where the ledger does not say otherwise. */
export const DISPUTE_SECS = 259_200;
/** How long after the review an unpaid deal can still be paid. */
export const ARREARS_MS = 30 * DAY;
/** How often a node is reminded of a ledger step that is due. */
export const REMIND_MS = HOUR;
/** Payments counted for one deal; the last place is kept for the one that completes what is owed. */
export const MAX_PAYMENTS = 32;
export const MAX_ROUNDS = 10;

/** The terms that stored offers from before bonds stand for: no bond, and disputes that offer at least half. */
const BEFORE_BONDS = { bond: '0', dispute_bps: 5_000, acceptance: null };

export function lastOffer(deal: Pick<Deal, 'offers'>): Offer {
  return { ...BEFORE_BONDS, ...deal.offers[deal.offers.length - 1]! };
}

export function isParty(deal: Pick<Deal, 'requester' | 'provider'>, key: string): boolean {
  return key === deal.requester || key === deal.provider;
}
