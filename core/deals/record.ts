import type { EscrowOutcome, Stamp } from './deal.ts';

/**
 * A deal as an aggregator sees it: what two parties of one conversation signed, without the contents, and what the
 * ledger says. Facts may come in any order and more than once; the record is the same.
 */
export interface DealRecord {
  readonly conversation: string;
  /** The two keys, bytewise. */
  readonly pair: readonly [string, string];
  /** The earliest message of each kind by each side of `pair`. */
  readonly offers: Sides;
  readonly accepts: readonly [Acceptance | null, Acceptance | null];
  readonly deliveries: Sides;
  readonly disputes: Sides;
  /** The notary that each side assigned first. */
  readonly assigned: readonly [Assignment | null, Assignment | null];
  /** Who signed a VERDICT in this conversation; at most 16, those that a side or the escrow names are never pushed out. */
  readonly verdicts: readonly Stamp[];
  /** What was locked under this conversation; only the one whose terms are the deal's ACCEPT is the deal's escrow. */
  readonly escrows: readonly RecordedEscrow[];
  /** `rater>target` of every feedback that counted. */
  readonly rated: readonly string[];
}

export type Sides = readonly [Stamp | null, Stamp | null];

export interface Assignment extends Stamp {
  readonly notary: string;
}

/** `agreed`: what the ACCEPT and its offer say, where their contents were reported. */
export interface Acceptance extends Stamp {
  readonly agreed: Agreement | null;
}

export interface Agreement {
  readonly escrow: boolean;
  readonly requester: string;
}

export interface Lock {
  readonly requester: string;
  readonly provider: string;
  readonly notary: string | null;
  readonly at: number;
  readonly deadline: number;
}

export interface Closing {
  readonly outcome: EscrowOutcome;
  readonly at: number;
}

export interface RecordedEscrow {
  /** The id of the ACCEPT it was locked for, as the requester says. */
  readonly terms: string;
  readonly lock: Lock | null;
  readonly closed: Closing | null;
}

export type RecordFact =
  | (Stamp & { readonly type: 'propose' | 'counter' | 'deliver' | 'dispute' | 'verdict' })
  | (Stamp & { readonly type: 'accept'; readonly agreed?: Agreement })
  | (Stamp & { readonly type: 'assign'; readonly notary: string })
  | { readonly type: 'locked'; readonly terms: string; readonly lock: Lock }
  | ({ readonly type: 'closed'; readonly terms: string } & Closing);

const MAX_VERDICTS = 16;
/**
 * A requester can lock and get back small sums again and again under one conversation. Those whose terms come first in
 * bytewise order stay, so that the record does not depend on what was heard of first; more hurts that requester alone.
 */
const MAX_ESCROWS = 8;
const NOBODY: Sides = [null, null];

export function newRecord(conversation: string, one: string, other: string): DealRecord {
  return {
    conversation,
    pair: one < other ? [one, other] : [other, one],
    offers: NOBODY,
    accepts: [null, null],
    deliveries: NOBODY,
    disputes: NOBODY,
    assigned: [null, null],
    verdicts: [],
    escrows: [],
    rated: [],
  };
}

/** Adds a verified receipt, or what finalised ledger state says. Receipts of others than the pair add nothing. */
export function observe(record: DealRecord, fact: RecordFact): DealRecord {
  switch (fact.type) {
    case 'propose':
    case 'counter':
      return { ...record, offers: withEarliest(record, record.offers, stamp(fact)) };
    case 'accept':
      return { ...record, accepts: withEarliest(record, record.accepts, acceptance(record, fact)) };
    case 'deliver':
      return { ...record, deliveries: withEarliest(record, record.deliveries, stamp(fact)) };
    case 'dispute':
      return { ...record, disputes: withEarliest(record, record.disputes, stamp(fact)) };
    case 'assign':
      return { ...record, assigned: withEarliest(record, record.assigned, { ...stamp(fact), notary: fact.notary }) };
    case 'verdict':
      return isOfPair(record, fact.by) ? record : { ...record, verdicts: withVerdict(record, stamp(fact)) };
    case 'locked':
      return withEscrow(record, fact.terms, { lock: fact.lock });
    case 'closed':
      return withEscrow(record, fact.terms, { closed: { outcome: fact.outcome, at: fact.at } });
  }
}

/** The notary both sides assigned, or the one the escrow names; one side alone cannot bring in a judge. */
export function notariesOf(record: DealRecord): string[] {
  const [one, other] = record.assigned;
  const both = one && other && one.notary === other.notary ? [one.notary] : [];
  const notary = escrowOf(record)?.lock?.notary;
  return notary ? [...both, notary] : both;
}

/**
 * The escrow of the deal. Anyone can lock anything for a provider; what the provider agreed to is the ACCEPT it signed or
 * was answered with, so money locked for something else says nothing about the deal.
 */
export function escrowOf(record: DealRecord): RecordedEscrow | undefined {
  const made = acceptanceOf(record);
  return made && record.escrows.find((escrow) => escrow.terms === made.id);
}

/** The ACCEPT that made the deal: one side's, when the other side made an offer. */
export function acceptanceOf({ accepts, offers }: DealRecord): Acceptance | undefined {
  const one = offers[1] ? accepts[0] : null;
  const other = offers[0] ? accepts[1] : null;
  if (one && other) return byTime(one, other) <= 0 ? one : other;
  return one ?? other ?? undefined;
}

export function isOfPair(record: DealRecord, key: string): boolean {
  return record.pair.includes(key);
}

function withEarliest<S extends Stamp>(
  record: DealRecord,
  sides: readonly [S | null, S | null],
  fresh: S,
): readonly [S | null, S | null] {
  const side = record.pair.indexOf(fresh.by);
  const held = sides[side as 0 | 1];
  if (side < 0 || (held && held.id !== fresh.id && byTime(held, fresh) <= 0)) return sides;
  return side === 0 ? [fresh, sides[1]] : [sides[0], fresh];
}

/** The content of an ACCEPT may be reported after its receipt, or before it. */
function acceptance(record: DealRecord, fact: Extract<RecordFact, { type: 'accept' }>): Acceptance {
  const known = record.accepts.find((one) => one?.id === fact.id)?.agreed ?? null;
  return { ...stamp(fact), agreed: fact.agreed ?? known };
}

function withEscrow(
  record: DealRecord,
  terms: string,
  news: Partial<Pick<RecordedEscrow, 'lock' | 'closed'>>,
): DealRecord {
  const held = record.escrows.find((escrow) => escrow.terms === terms) ?? { terms, lock: null, closed: null };
  const grown = { terms, lock: held.lock ?? news.lock ?? null, closed: held.closed ?? news.closed ?? null };
  const escrows = [...record.escrows.filter((escrow) => escrow !== held), grown]
    .sort((one, other) => (one.terms < other.terms ? -1 : 1))
    .slice(0, MAX_ESCROWS);
  return { ...record, escrows };
}

function withVerdict(record: DealRecord, fresh: Stamp): Stamp[] {
  const held = record.verdicts.find((one) => one.by === fresh.by);
  const earliest = held && byTime(held, fresh) <= 0 ? held : fresh;
  const locked = record.escrows.map((escrow) => escrow.lock?.notary);
  const named = new Set([...record.assigned.map((one) => one?.notary), ...locked]);
  const rest = record.verdicts.filter((one) => one.by !== fresh.by);
  return [...rest, earliest]
    .sort((one, other) => Number(named.has(other.by)) - Number(named.has(one.by)) || byTime(one, other))
    .slice(0, MAX_VERDICTS)
    .sort(byTime);
}

function byTime(one: Stamp, other: Stamp): number {
  return one.at - other.at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

function stamp({ id, by, at }: Stamp): Stamp {
  return { id, by, at };
}
