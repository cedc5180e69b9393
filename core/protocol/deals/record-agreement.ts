import type { Agreed } from './agreed-lock.ts';
import { SKEW_MS, type Stamp, type Terms } from './deal.ts';
import type { OfferedTerms } from './events.ts';
import type { DealRecord } from './record.ts';
import { acceptanceOf, byTime, payerOf } from './record-ties.ts';
import { completeTerms } from './terms.ts';

/** The content of an offer that a node reported whole. */
export interface OfferContent {
  readonly type: 'propose' | 'counter';
  readonly terms: OfferedTerms;
}

/** An offer. `pays` is the payer's place in the pair, from the public part; version 1 has none. */
export interface OfferStamp extends Stamp {
  readonly pays?: 0 | 1;
}

/** An offer; `said` is null where only its receipt is known. */
export interface HeardOffer extends OfferStamp {
  readonly said: OfferContent | null;
}

/** Offers kept of each side; no side of a deal makes more. */
const MAX_OF_SIDE = 12;

/** The offers with one more, in the order of their times: of each side those that an ACCEPT names, and the first ones. */
export function withHeard(
  heard: readonly HeardOffer[],
  fresh: HeardOffer,
  named: readonly (string | undefined)[],
): HeardOffer[] {
  const known = heard.find(({ id }) => id === fresh.id);
  const offer = known?.said ? known : fresh;
  const others = heard.filter(({ id }) => id !== fresh.id);
  const [own, rest] = [others.filter(({ by }) => by === fresh.by), others.filter(({ by }) => by !== fresh.by)];
  const all = [...own, offer].sort(byTime);
  if (all.length <= MAX_OF_SIDE) return [...rest, ...all].sort(byTime);
  const kept = [...all.filter(({ id }) => named.includes(id)), ...all.filter(({ id }) => !named.includes(id))];
  return [...rest, ...kept.slice(0, MAX_OF_SIDE)].sort(byTime);
}

/** An agreement whose terms an aggregator can prove in full. */
export interface KnownAgreement extends Agreed {
  readonly terms: Terms;
}

/**
 * The agreement of the two sides. Undefined unless the ACCEPT, the offer it names, and every offer that this one
 * follows were reported whole: each offer completes the one it answers, so a missing one could change all later
 * terms. The sides must have taken turns: two offers in a row by one key prove no agreement.
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
  const requester = payerOf(record) ?? first.by;
  const provider = record.pair.find((key) => key !== requester)!;
  return {
    ...{ conversation: record.conversation, requester, provider, terms },
    accepted: { id: made.id, at: made.at },
  };
}

/** The proposal, and the counters up to this offer; undefined when they are not all known. */
function turnsTo(record: DealRecord, id: string): HeardOffer[] | undefined {
  const all = offersOf(record);
  const last = all.find((offer) => offer.id === id);
  if (last?.said?.type === 'propose') return [last];
  const offers = standing(all);
  const own = offers.filter(({ by }) => by === last?.by);
  const mine = last ? own.slice(0, own.indexOf(last) + 1) : [];
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

/** Every offer that is known: with the earliest of each side, of which only the stamp may be. */
export function offersOf({ heard = [], offers }: DealRecord): HeardOffer[] {
  const stamps = offers.filter((offer) => offer !== null && !heard.some(({ id }) => id === offer.id)) as OfferStamp[];
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
