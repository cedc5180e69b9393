import { offeredTerms } from '../../../protocol/deals/offered-terms.ts';
import {
  type Assignment,
  type DealRecord,
  newRecord,
  observe,
  type RecordFact,
} from '../../../protocol/deals/record.ts';
import type { EscrowFact } from '../../../protocol/deals/record-escrows.ts';
import { hasRoom } from '../../../protocol/deals/record-ties.ts';
import type { TypedPayload } from '../../../protocol/envelopes/payloads/payloads.ts';
import type { EscrowName } from '../../../protocol/settlement/steps.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import { agents } from '../../store/agents.ts';
import { bountyRef } from '../../store/bounties.ts';
import {
  type DealRow,
  dealLife,
  PARTY_MS,
  partyRef,
  type StoredDeal,
  type StoredParty,
  UNMET_MS,
} from '../../store/deals.ts';
import type { Signed } from '../signed.ts';
import { showRows, withRow } from './deal-rows.ts';
import { countDefault, countDispute, dueAt } from './default.ts';
import { type DropReason, type Effect, NoRoom } from './effect.ts';
import { countWaiting } from './feedback-waiting.ts';
import { recountRatings } from './rating.ts';
import { DealName, dealIn, dealsOf, keysOf, partiesIn, partyIn, readsOf } from './scope.ts';

/** The news of one message about a deal: a fact for its record, a row for the activity feed, or both. */
interface DealNews {
  readonly fact?: RecordFact;
  readonly row?: Omit<DealRow, 'shown'>;
}

const FACTS = {
  PROPOSE: 'propose',
  COUNTER: 'counter',
  ACCEPT: 'accept',
  DELIVER: 'deliver',
  DISPUTE: 'dispute',
} as const;
const ROWS = ['ACCEPT', 'REJECT', 'DELIVER', 'DISPUTE'] as const;
const MAX_WITH = 16;
const MAX_VERDICTS = 16;

export type DealMessage = keyof typeof FACTS | 'REJECT';

type StoredVerdict = Omit<StoredParty['verdicts'][number], 'slot'>;

interface DealLetter {
  readonly type: DealMessage;
  readonly conversation: string;
  readonly recipient: string;
  /** The payload of a whole report; its hash is the signed one. */
  readonly payload: TypedPayload | undefined;
}

/** PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER and DISPUTE: from one side of a deal to the other. */
export function dealEffect(
  { id, at, slot, sender, told }: Signed,
  { type, conversation, recipient, payload }: DealLetter,
  { epochs }: { epochs: Epochs },
): Effect {
  const deal = new DealName(conversation, sender, recipient);
  const event = ROWS.find((name) => name === type);
  const news: DealNews = {
    ...(type !== 'REJECT' && {
      fact: { type: FACTS[type], id, by: sender, at, ...told, ...contentOf(payload) } as RecordFact,
    }),
    ...(event && { row: { event_type: event, envelope_id: id, by: sender, to: recipient, slot } }),
  };
  return {
    reads: () => [
      ...readsOf(deal),
      ...(event ? [agents.ref(recipient)] : []),
      ...(type === 'ACCEPT' ? deal.pair.map((key) => bountyRef(key, conversation)) : []),
    ],
    apply(tx) {
      const [own] = deal.parties;
      const party = partyIn(tx, own);
      if (!party.with.includes(recipient) && party.with.length < MAX_WITH) {
        tx.put(own, { ...party, with: [...party.with, recipient] });
      }
      return update(tx, deal, news, epochs);
    },
  };
}

/** VERDICT: to a side of the deal, by its notary or by the other side. */
export function verdictEffect(
  { id, at, slot, sender, told }: Signed,
  { conversation, recipient }: { conversation: string; recipient: string },
  { epochs }: { epochs: Epochs },
): Effect {
  const said = { id, by: sender, at, ...told } as StoredVerdict;
  const fact: RecordFact = { type: 'verdict', ...said };
  const row = { event_type: 'VERDICT', envelope_id: id, by: sender, to: recipient, slot } as const;
  return {
    reads: () => [partyRef(conversation, recipient)],
    apply(tx) {
      const party = partyIn(tx, partyRef(conversation, recipient));
      if (!party.verdicts.some((one) => one.by === sender)) {
        const verdicts = [...party.verdicts, { ...said, slot }];
        const kept = { ...party, verdicts: foremost(verdicts, party.assigned?.notary) };
        const ttl = party.with.length > 0 ? PARTY_MS : UNMET_MS;
        tx.put(partyRef(conversation, recipient), kept, { ttl });
      }
      const news = { fact, row };
      return dealsOf(party).flatMap((other) => update(tx, new DealName(conversation, recipient, other), news, epochs));
    },
  };
}

/** NOTARIZE_ASSIGN: one side of a deal names its notary. */
export function assignEffect(
  { id, at, sender }: Signed,
  { conversation, notary }: { conversation: string; notary: string },
  { epochs }: { epochs: Epochs },
): Effect {
  const assigned: Assignment = { id, by: sender, at, notary };
  return {
    reads: () => [partyRef(conversation, sender)],
    apply(tx) {
      const party = partyIn(tx, partyRef(conversation, sender));
      if (!party.assigned || at < party.assigned.at) {
        tx.put(partyRef(conversation, sender), { ...party, assigned: { ...assigned } });
      }
      const news = { fact: { type: 'assign', ...assigned } } as const;
      return dealsOf(party).flatMap((other) => update(tx, new DealName(conversation, sender, other), news, epochs));
    },
  };
}

/** Adds a ledger event of the pair's escrow to the record of their deal. */
export function escrowEffect(
  fact: EscrowFact,
  { conversation, requester, provider }: EscrowName,
  { epochs }: { epochs: Epochs },
): Effect {
  const deal = new DealName(conversation, requester, provider);
  return { reads: () => readsOf(deal), apply: (tx) => update(tx, deal, { fact }, epochs) };
}

/** Settles all that time alone decides about a deal: feedback that need not wait any longer, a party that failed. */
export function lapseEffect(
  { conversation, pair }: Pick<DealRecord, 'conversation' | 'pair'>,
  { epochs }: { epochs: Epochs },
): Effect {
  const deal = new DealName(conversation, ...pair);
  return { reads: () => readsOf(deal), apply: (tx) => update(tx, deal, {}, epochs) };
}

/** The fact that a whole envelope adds to its receipt: the terms of an offer, or which offer was accepted. */
function contentOf(
  payload: TypedPayload | undefined,
): Pick<Extract<RecordFact, { type: 'propose' }>, 'terms'> | object {
  switch (payload?.msgType) {
    case 'PROPOSE':
    case 'COUNTER':
      return { terms: offeredTerms(payload.value) };
    case 'ACCEPT': {
      const { offer_id, amount_usdc_micro } = payload.value;
      return offer_id === undefined ? {} : { agreed: { offer: offer_id, amount: amount_usdc_micro.toString() } };
    }
    default:
      return {};
  }
}

/** The verdicts worth keeping: the assigned notary's, then the earliest. */
function foremost(verdicts: StoredParty['verdicts'], notary: string | undefined): StoredParty['verdicts'] {
  const place = ({ by }: { by: string }) => (by === notary ? 0 : 1);
  return verdicts.sort((one, other) => place(one) - place(other) || one.at - other.at).slice(0, MAX_VERDICTS);
}

/** Brings one deal up to date, shows what has become true, and counts the feedback that waited for it. */
function update(tx: Tx, name: DealName, { fact, row }: DealNews, epochs: Epochs): readonly DropReason[] {
  const { conversation, pair } = name;
  const before = dealIn(tx, name) ?? { record: newRecord(conversation, ...pair), rows: [] };
  const parties = partiesIn(tx, name);
  let deal: StoredDeal = pair.reduce((known, key, side) => withParty(known, key, parties[side]!), before);
  if (fact && !hasRoom(deal.record, fact)) throw new NoRoom('too many messages of this key wait for what they answer');
  if (fact) deal = { ...deal, record: observe(deal.record, fact) };
  if (row) deal = withRow(deal, row);
  const keys = keysOf(name, parties, [before.record, deal.record]);
  const shown = showRows(tx, deal, epochs);
  const known = recountRatings(tx, shown.record, epochs);
  const { record, dropped } = countWaiting(tx, { conversation, keys, raters: keys }, known, epochs);
  const { due: _, ...counted } = countDispute(tx, countDefault(tx, { ...shown, record }, epochs), epochs);
  const due = dueAt(counted, tx.now);
  tx.put(name.ref, { ...counted, ...(due !== undefined && { due }) }, { ttl: dealLife(record, epochs, tx.now, due) });
  return dropped;
}

/** Adds what was heard of a notary before the deal was known. */
function withParty(before: StoredDeal, key: string, { assigned, verdicts }: StoredParty): StoredDeal {
  if (!assigned && verdicts.length === 0) return before;
  let { record, rows } = before;
  if (assigned) record = observe(record, { type: 'assign', ...assigned });
  for (const { slot, ...said } of verdicts) {
    const { id, by } = said;
    record = observe(record, { type: 'verdict', ...said } as RecordFact);
    ({ rows } = withRow({ record, rows }, { event_type: 'VERDICT', envelope_id: id, by, to: key, slot }));
  }
  return { ...before, record, rows };
}
