import type { SchemaTypes } from '../../../schemas/types.ts';
import { acceptanceOf, type DealRecord } from '../../protocol/deals/record.ts';
import { collection, type Ref } from '../../storage/declarations.ts';
import type { Epochs } from '../epochs.ts';
import { dealForm } from './deal-form.ts';

export type DealRow = SchemaTypes['stored-deal-row'];
export type DealEvent = DealRow['event_type'];
export type StoredParty = SchemaTypes['stored-party'];
export type WaitingFeedback = SchemaTypes['stored-waiting']['items'][number];

export interface StoredDeal {
  readonly record: DealRecord;
  readonly rows: readonly DealRow[];
  /** When the passing of time next means something for it, Unix milliseconds. */
  readonly due?: number;
  /** Whether the failure of a party has been counted. */
  readonly counted?: boolean;
  /** Whether the end of its dispute has been counted. */
  readonly judged?: boolean;
}

/** The kinds of events of a deal, by the places that stores name. */
export const EVENTS: readonly DealEvent[] = ['ACCEPT', 'REJECT', 'DELIVER', 'DISPUTE', 'VERDICT'];

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** A record that no deal came of is forgotten: no offer stands for longer than 30 days. */
const UNMADE_MS = 45 * DAY;
/** Longer than the longest deal and the feedback after it. */
export const PARTY_MS = 200 * DAY;
/** After both sides have rated each other, what was signed may still be reported for four epochs; nothing else can come. */
const SETTLED_EPOCHS = 16;
/** Messages of strangers to a key that has signed nothing in the conversation are kept while its own may be late. */
export const UNMET_MS = 2 * DAY;

/** A new name since records say who pays; former records are of no use and expire. */
export const deals = collection<StoredDeal, 'due'>('deal-records', {
  schema: 'stored-deal',
  shared: true,
  form: dealForm,
  indexes: { due: ({ due }) => (due === undefined ? undefined : [due]) },
});

/**
 * How long a deal is kept after its last news, in milliseconds. It ends with an hour, or with an epoch where those are shorter: messages
 * of one hour move nothing among what expires.
 */
export function dealLife(deal: Pick<StoredDeal, 'record' | 'due'>, epochs: Epochs, now: number): number {
  const step = Math.min(HOUR, epochs.ms);
  return Math.ceil((now + leastLife(deal, epochs)) / step) * step - now;
}

function leastLife(deal: Pick<StoredDeal, 'record' | 'due'>, epochs: Epochs): number {
  if (!acceptanceOf(deal.record)) return UNMADE_MS;
  return isSettled(deal) ? SETTLED_EPOCHS * epochs.ms : PARTY_MS;
}

/** Whether both sides have rated each other and nobody else has a say: neither the ledger, nor a notary, nor the passing of time. */
export function isSettled({ record, due }: Pick<StoredDeal, 'record' | 'due'>): boolean {
  const [one, other] = record.pair;
  const rated = record.rated.includes(`${one}>${other}`) && record.rated.includes(`${other}>${one}`);
  const judged = record.escrows.length > 0 || record.assigned.some((assigned) => assigned !== null);
  return rated && !judged && due === undefined && acceptanceOf(record) !== undefined;
}

/** The two ends of a conversation in either order. */
export function dealRef(conversation: string, one: string, other: string): Ref<StoredDeal> {
  return deals.ref(one < other ? `${conversation}/${one}/${other}` : `${conversation}/${other}/${one}`);
}

/**
 * Finds the deals of a conversation by one side, and keeps what a notary said before they were known. That of a side whose only deal there
 * is settled is gone: it is not asked for any more.
 */
export const parties = collection<StoredParty>('parties', { schema: 'stored-party', shared: true, ttl: PARTY_MS });

export function partyRef(conversation: string, key: string): Ref<StoredParty> {
  return parties.ref(`${conversation}/${key}`);
}

export const NO_PARTY: StoredParty = { with: [], assigned: null, verdicts: [] };

/** Feedback that came before its deal had ended, one document per rater. */
export const waiting = collection<{ readonly items: readonly WaitingFeedback[] }>('waiting', {
  schema: 'stored-waiting',
  shared: true,
});
