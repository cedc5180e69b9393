import type { Stamp } from './deal.ts';
import { type Acceptance, type DealRecord, observe, type RecordFact } from './record.ts';
import { type OfferStamp, offersOf } from './record-agreement.ts';

/**
 * A message of one side with the public part of version 2: the payer's place in the pair, and the ACCEPT that it
 * answers. A message of version 1 shows neither and is taken to be about the deal.
 */
export interface Answer extends Stamp {
  readonly pays?: 0 | 1;
  readonly answers?: string;
}

/** Acceptances of one side, and answers of one side to ACCEPTs that are not known; honest nodes sign one of each. */
const MAX_OF_SIDE = 4;
/** Offers of one side that nobody has accepted; honest nodes sign 11, and one more where two proposals cross. */
const MAX_OFFERS = 12;

/** The acceptances of offers that the other side signed with the same payer, in the order of their times. */
export function tiedAccepts(record: DealRecord): readonly Acceptance[] {
  const { accepts } = record;
  const isTied = (accept: Acceptance) => isOfAnOffer(record, accept);
  return accepts.every(isTied) ? accepts : accepts.filter(isTied);
}

function isOfAnOffer({ offers, heard = [] }: DealRecord, { by, offer, pays }: Acceptance): boolean {
  const isOfIt = (made: OfferStamp | null) =>
    made !== null && made.by !== by && (offer === undefined || (made.id === offer && made.pays === pays));
  return offers.some(isOfIt) || heard.some(isOfIt);
}

/**
 * The ACCEPT that made the deal: one side's, of an offer the other side signed. Of several, the one that the other
 * side has answered counts, since a side that signs two could show one and hide the other; then the earliest.
 */
export function acceptanceOf(record: DealRecord): Acceptance | undefined {
  const all = tiedAccepts(record);
  return all.length < 2 ? all[0] : (all.find((made) => isAnswered(record, made)) ?? all[0]);
}

/** The key of the side that pays, where the messages say it. */
export function payerOf(record: DealRecord): string | undefined {
  const pays = acceptanceOf(record)?.pays;
  return pays === undefined ? undefined : record.pair[pays];
}

/**
 * Whether a message is about this deal: it names an ACCEPT that made it. Where a side has signed more of them than
 * are kept, any will do: no side gets out of a deal by accepting it many times.
 */
export function isAnswerTo(record: DealRecord, { answers }: { readonly answers?: string | undefined }): boolean {
  if (answers === undefined) return true;
  const all = tiedAccepts(record);
  return all.some(({ id }) => id === answers) || all.length >= MAX_OF_SIDE;
}

/** The answers that count: those of the side `of`, with the deal's payer, to an ACCEPT that made the deal. */
export function counted(record: DealRecord, answers: readonly Answer[], of: 'payer' | 'provider'): readonly Answer[] {
  const payer = payerOf(record);
  if (payer === undefined) return answers;
  const side = record.pair.indexOf(payer);
  return answers.filter(
    (one) => (one.by === payer) === (of === 'payer') && one.pays === side && isAnswerTo(record, one),
  );
}

/** One more answer: of a side the earliest to each ACCEPT. */
export function withAnswer(answers: readonly Answer[], fresh: Answer): readonly Answer[] {
  const held = answers.find(({ by, answers: named }) => by === fresh.by && named === fresh.answers);
  if (held && byTime(held, fresh) <= 0) return answers;
  return [...answers.filter((one) => one !== held), fresh].sort(byTime);
}

/** One more ACCEPT; of version 1, which names no offer, the earliest of a side. */
export function withAcceptance(accepts: readonly Acceptance[], fresh: Acceptance): readonly Acceptance[] {
  const isSame = (one: Acceptance) =>
    one.id === fresh.id || (fresh.offer === undefined && one.offer === undefined && one.by === fresh.by);
  const held = accepts.find(isSame);
  if (held && held.id !== fresh.id && byTime(held, fresh) <= 0) return accepts;
  return [...accepts.filter((one) => one !== held), fresh].sort(byTime);
}

/**
 * Whether the record has room for a fact that one side signed. Facts tied to something that the other side signed are
 * not crowded out by facts that are not. A refused fact may be reported again once more is known.
 */
export function hasRoom(record: DealRecord, fact: RecordFact): boolean {
  switch (fact.type) {
    case 'propose':
    case 'counter': {
      if ((record.heard?.length ?? 0) + record.offers.length < MAX_OFFERS) return true;
      const own = offersOf(record).filter(({ by }) => by === fact.by);
      return own.length < MAX_OFFERS || own.some(({ id }) => id === fact.id) || isNamed(record, fact);
    }
    case 'accept': {
      if (fact.answers === undefined || record.accepts.some(({ id }) => id === fact.id)) return true;
      if (record.accepts.length < MAX_OF_SIDE) return true;
      const own = observe(record, fact).accepts.filter(({ by }) => by === fact.by);
      const known = tiedAccepts({ ...record, accepts: own });
      const isTied = known.some(({ id }) => id === fact.id);
      return (isTied ? known.length : own.length - known.length) <= MAX_OF_SIDE;
    }
    case 'deliver':
    case 'dispute': {
      if (fact.answers === undefined || tiedAccepts(record).some(({ id }) => id === fact.answers)) return true;
      const held = fact.type === 'deliver' ? record.deliveries : record.disputes;
      const own = held.filter(({ by }) => by === fact.by);
      return own.length < MAX_OF_SIDE || own.some(({ answers }) => answers === fact.answers);
    }
    default:
      return true;
  }
}

export function byTime(one: Stamp, other: Stamp): number {
  return one.at - other.at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/** Whether an ACCEPT of the other side names this offer. */
function isNamed(record: DealRecord, { id, by }: Stamp): boolean {
  return record.accepts.some((accept) => accept.by !== by && accept.offer === id);
}

function isAnswered({ deliveries, disputes, escrows }: DealRecord, { id, by }: Acceptance): boolean {
  const isOf = (one: Answer) => one.by !== by && one.answers === id;
  return (
    deliveries.some(isOf) ||
    disputes.some(isOf) ||
    escrows.some(({ terms, lock }) => terms === id && lock?.requester !== by)
  );
}
