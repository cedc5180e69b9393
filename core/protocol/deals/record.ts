import { lockProblem } from './agreed-lock.ts';
import type { Stamp } from './deal.ts';
import type { OfferedTerms } from './events.ts';
import { agreementOf, type HeardOffer, type OfferContent, type OfferStamp, withHeard } from './record-agreement.ts';
import { type EscrowFact, type RecordedEscrow, withEscrowFact } from './record-escrows.ts';
import type { CountedRating } from './record-ratings.ts';
import { type Answer, acceptanceOf, byTime, withAcceptance, withAnswer } from './record-ties.ts';

export { acceptanceOf } from './record-ties.ts';

/**
 * A deal as an aggregator sees it: the messages that two parties of one conversation signed, without the contents,
 * and the ledger's facts. Facts may come in any order and more than once; the record is the same.
 */
export interface DealRecord {
  readonly conversation: string;
  /** The two keys, bytewise. */
  readonly pair: readonly [string, string];
  /** The earliest offer of each side of `pair`. */
  readonly offers: readonly [OfferStamp | null, OfferStamp | null];
  /** Offers that were reported whole, and receipts of those that are not the earliest; at most 12 of a side. */
  readonly heard?: readonly HeardOffer[];
  /** Acceptances of both sides; see record-ties.ts for which of them made the deal. */
  readonly accepts: readonly Acceptance[];
  readonly deliveries: readonly Answer[];
  readonly disputes: readonly Answer[];
  /** The notary that each side assigned first. */
  readonly assigned: readonly [Assignment | null, Assignment | null];
  /**
   * VERDICTs signed in this conversation, at most 16. Those of a notary that a side or the escrow names are never
   * pushed out.
   */
  readonly verdicts: readonly Answer[];
  /** Every escrow locked under this conversation; the deal's own is the one whose terms are the deal's ACCEPT. */
  readonly escrows: readonly RecordedEscrow[];
  /** `rater>target` of every feedback that counted. */
  readonly rated: readonly string[];
  /** Ratings of the two sides by each other, with the money that each was counted with. */
  readonly ratings?: readonly CountedRating[];
}

export interface Assignment extends Stamp {
  readonly notary: string;
}

/** `agreed`: which offer the ACCEPT names, and its amount, where it was reported whole. */
export interface Acceptance extends Stamp {
  /** The payer's place in the pair, and the offer, from the public part of a version 2 ACCEPT. */
  readonly pays?: 0 | 1;
  readonly offer?: string;
  readonly agreed: NamedOffer | null;
}

export interface NamedOffer {
  readonly offer: string;
  readonly amount: string;
}

/** A signed message; `payer` and `answers` come from its public part, which version 1 lacks. */
interface Told extends Stamp {
  readonly payer?: string;
  readonly answers?: string;
}

export type RecordFact =
  | (Told & { readonly type: 'propose' | 'counter'; readonly terms?: OfferedTerms })
  | (Told & { readonly type: 'deliver' | 'dispute' | 'verdict' })
  | (Told & { readonly type: 'accept'; readonly agreed?: NamedOffer })
  | (Stamp & { readonly type: 'assign'; readonly notary: string })
  | EscrowFact;

const MAX_VERDICTS = 16;

export function newRecord(conversation: string, one: string, other: string): DealRecord {
  return {
    conversation,
    pair: one < other ? [one, other] : [other, one],
    offers: [null, null],
    accepts: [],
    deliveries: [],
    disputes: [],
    assigned: [null, null],
    verdicts: [],
    escrows: [],
    rated: [],
  };
}

/** Adds a verified receipt, or a fact of finalised ledger state. Receipts of keys outside the pair add nothing. */
export function observe(record: DealRecord, fact: RecordFact): DealRecord {
  if ('payer' in fact && fact.payer !== undefined && !isOfPair(record, fact.payer)) return record;
  switch (fact.type) {
    case 'propose':
    case 'counter':
      return withOffer(
        record,
        { ...stamp(fact), ...paysOf(record, fact) },
        fact.terms && { type: fact.type, terms: fact.terms },
      );
    case 'accept':
      if (!isOfPair(record, fact.by)) return record;
      return { ...record, accepts: withAcceptance(record.accepts, acceptance(record, fact)) };
    case 'deliver':
      if (!isOfPair(record, fact.by)) return record;
      return { ...record, deliveries: withAnswer(record.deliveries, answer(record, fact)) };
    case 'dispute':
      if (!isOfPair(record, fact.by)) return record;
      return { ...record, disputes: withAnswer(record.disputes, answer(record, fact)) };
    case 'assign':
      return { ...record, assigned: withEarliest(record, record.assigned, { ...stamp(fact), notary: fact.notary }) };
    case 'verdict':
      return isOfPair(record, fact.by) ? record : { ...record, verdicts: withVerdict(record, answer(record, fact)) };
    case 'locked':
    case 'escrow_delivered':
    case 'closed':
      return { ...record, escrows: withEscrowFact(record.escrows, fact) };
  }
}

/** The notary both sides assigned, or the one the agreed escrow names; one side alone cannot bring in a judge. */
export function notariesOf(record: DealRecord): string[] {
  const [one, other] = record.assigned;
  const both = one && other && one.notary === other.notary ? [one.notary] : [];
  const notary = agreedEscrowOf(record)?.lock?.notary;
  return notary ? [...both, notary] : both;
}

/** Money that was locked for this deal, as its requester says: the agreed escrow where there is one. */
export function escrowOf(record: DealRecord): RecordedEscrow | undefined {
  if (record.escrows.length === 0) return undefined;
  const made = acceptanceOf(record);
  return agreedEscrowOf(record) ?? (made && record.escrows.find((escrow) => escrow.terms === made.id));
}

/**
 * The deal's own escrow. Anyone can lock anything for a provider and name its ACCEPT, so a lock ends nothing and
 * blames nobody unless it is the agreed one. The agreement proves that, compared as nodes compare it. Where the
 * contents are private, the provider proves it: it has named a delivery for the lock on the ledger.
 */
export function agreedEscrowOf(record: DealRecord): RecordedEscrow | undefined {
  if (record.escrows.length === 0) return undefined;
  const made = acceptanceOf(record);
  const named = made ? record.escrows.filter((escrow) => escrow.lock && escrow.terms === made.id) : [];
  if (named.length === 0) return undefined;
  const agreement = agreementOf(record);
  if (!agreement) return named.find((escrow) => escrow.delivered);
  return named.find(({ terms, lock }) => {
    const { requester, provider, notary, deadline, amount, bond, review_secs, dispute_bps } = lock!;
    if (amount === undefined || bond === undefined || review_secs === undefined || dispute_bps === undefined)
      return false;
    const locked = {
      ...{ requester, provider, notary, terms, amount: BigInt(amount), bond: BigInt(bond) },
      ...{ deadline: Math.floor(deadline / 1000), reviewSecs: review_secs, disputeBps: dispute_bps },
    };
    return lockProblem(agreement, locked, Math.floor(lock!.at / 1000)) === undefined;
  });
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

/** Of the earliest offer of a side a receipt is its stamp; every other offer is listed. */
function withOffer(record: DealRecord, fresh: OfferStamp, said: OfferContent | undefined): DealRecord {
  const side = record.pair.indexOf(fresh.by);
  if (side < 0) return record;
  const offers = withEarliest(record, record.offers, fresh);
  const [before, first] = [record.offers[side as 0 | 1], offers[side as 0 | 1]];
  const passed = before && before.id !== first?.id ? [{ ...before, said: null }] : [];
  const listed = said || fresh.id !== first?.id ? [{ ...fresh, said: said ?? null }] : [];
  const fresher = [...passed, ...listed];
  if (fresher.length === 0) return { ...record, offers };
  const named = record.accepts.map(({ offer }) => offer);
  const heard = fresher.reduce((known, offer) => withHeard(known, offer, named), record.heard ?? []);
  return { ...record, offers, heard };
}

/** The content of an ACCEPT may be reported after its receipt, or before it. */
function acceptance(record: DealRecord, fact: Extract<RecordFact, { type: 'accept' }>): Acceptance {
  const known = record.accepts.find((one) => one.id === fact.id)?.agreed ?? null;
  const { answers: offer } = fact;
  return {
    ...stamp(fact),
    ...paysOf(record, fact),
    ...(offer !== undefined && { offer }),
    agreed: fact.agreed ?? known,
  };
}

function withVerdict(record: DealRecord, fresh: Answer): Answer[] {
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

function answer(record: DealRecord, fact: Told): Answer {
  const { answers } = fact;
  return { ...stamp(fact), ...paysOf(record, fact), ...(answers !== undefined && { answers }) };
}

/** The payer's place in the pair, where the message names the payer. */
function paysOf({ pair }: DealRecord, { payer }: Told): { pays?: 0 | 1 } {
  return payer === undefined ? {} : { pays: payer === pair[0] ? 0 : 1 };
}

function stamp({ id, by, at }: Stamp): Stamp {
  return { id, by, at };
}
