import type { Agreed } from './agreed-lock.ts';
import { SKEW_MS, type Stamp, type Terms } from './deal.ts';
import type { OfferedTerms } from './events.ts';
import { acceptanceOf, type DealRecord } from './record.ts';
import { completeTerms } from './terms.ts';

/** What an offer says that was reported whole. */
export interface OfferContent {
  readonly type: 'propose' | 'counter';
  readonly terms: OfferedTerms;
}

/** An offer; `said` is null where only its receipt is known. */
export interface HeardOffer extends Stamp {
  readonly said: OfferContent | null;
}

/** Offers kept of each side; no side of a deal makes more. */
const MAX_OF_SIDE = 12;

/** The offers with one more; the first ones of each side, in the order of their times. */
export function withHeard(heard: readonly HeardOffer[], fresh: HeardOffer): HeardOffer[] {
  const known = heard.find(({ id }) => id === fresh.id);
  const offer = known?.said ? known : fresh;
  const others = heard.filter(({ id }) => id !== fresh.id);
  const [own, rest] = [others.filter(({ by }) => by === fresh.by), others.filter(({ by }) => by !== fresh.by)];
  return [...rest, ...[...own, offer].sort(byTime).slice(0, MAX_OF_SIDE)].sort(byTime);
}

/** What an aggregator can tell of an agreement. */
export interface KnownAgreement extends Agreed {
  readonly terms: Terms;
}

/**
 * What the two sides agreed to; undefined unless the ACCEPT, the offer it names, and whatever that offer was an answer to
 * were reported whole. Each offer completes the one it answers, so one that is missing could change all behind it: the
 * two must have taken turns, and nobody who signs twice in a turn has an agreement proved.
 */
export function agreementOf(record: DealRecord): KnownAgreement | undefined {
  const made = acceptanceOf(record);
  if (!made?.agreed) return undefined;
  const turns = turnsTo(record, made.agreed.offer);
  const [first] = turns ?? [];
  if (!turns || !first || turns.at(-1)!.by === made.by) return undefined;
  const terms = turns.reduce<Terms | undefined>(
    (before, { said, at }) => completeTerms(said!.terms, before, at),
    undefined,
  )!;
  if (terms.amount !== made.agreed.amount) return undefined;
  const provider = record.pair.find((key) => key !== first.by)!;
  return {
    ...{ conversation: record.conversation, requester: first.by, provider, terms },
    accepted: { id: made.id, at: made.at },
  };
}

/** The proposal, and the counters up to this offer; undefined when they are not all known. */
function turnsTo(record: DealRecord, id: string): HeardOffer[] | undefined {
  const all = allOf(record);
  const last = all.find((offer) => offer.id === id);
  if (last?.said?.type === 'propose') return [last];
  const offers = standing(all);
  const own = offers.filter(({ by }) => by === last?.by);
  const mine = own.slice(0, own.findIndex((offer) => offer === last) + 1);
  const theirs = offers.filter(({ by, at }) => last && by !== last.by && at <= last.at + SKEW_MS);
  const [opening, answering] = mine.length > theirs.length ? [mine, theirs] : [theirs, mine];
  const turns = opening.flatMap((offer, turn) => [offer, ...answering.slice(turn, turn + 1)]);
  const isWhole = turns.length === mine.length + theirs.length && turns.at(-1) === last;
  return isWhole && turns.every(isInTurn) ? turns : undefined;
}

/** The first is the proposal, every other one a counter to the one before. */
function isInTurn({ by, said }: HeardOffer, turn: number, turns: readonly HeardOffer[]): boolean {
  return said?.type === (turn === 0 ? 'propose' : 'counter') && by !== turns[turn - 1]?.by;
}

/** With the earliest offer of each side, of which only the stamp may be known. */
function allOf({ heard = [], offers }: DealRecord): HeardOffer[] {
  const stamps = offers.filter((offer) => offer !== null && !heard.some(({ id }) => id === offer.id)) as Stamp[];
  return [...heard, ...stamps.map((offer) => ({ ...offer, said: null }))].sort(byTime);
}

/** Where both sides opened the conversation at once, the PROPOSE with the lower id is the one that stands. */
function standing(heard: readonly HeardOffer[]): readonly HeardOffer[] {
  const proposals = heard.filter(({ said }) => said?.type === 'propose');
  const [one, other] = proposals;
  if (proposals.length !== 2 || one!.by === other!.by) return heard;
  const lost = one!.id < other!.id ? other : one;
  return heard.filter((offer) => offer !== lost);
}

function byTime(one: HeardOffer, other: HeardOffer): number {
  return one.at - other.at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}
