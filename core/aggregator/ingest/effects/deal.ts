import { type Assignment, type DealRecord, newRecord, observe, type RecordFact } from '../../../deals/record.ts';
import type { EscrowName } from '../../../ledger/settlement-steps.ts';
import type { Space } from '../../../storage/space.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import {
  type DealRow,
  dealLife,
  dealRef,
  PARTY_MS,
  partyRef,
  type StoredDeal,
  type StoredParty,
  UNMET_MS,
} from '../../store/deals.ts';
import type { Signed } from '../signed.ts';
import { showRows, withRow } from './deal-rows.ts';
import { countDefault, dueAt } from './default.ts';
import { type DropReason, type Effect, ReadsMoved } from './effect.ts';
import { countWaiting } from './feedback-waiting.ts';
import { checkScope, dealsOf, partyIn, readsOf, type Scope, scopeOf, scopesOfParty } from './scope.ts';

/** What one message says about a deal: a fact for its record, a row for the activity feed, or both. */
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

/** PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER and DISPUTE: from one side of a deal to the other. */
export function dealEffect(
  { id, at, slot, sender }: Signed,
  { type, conversation, recipient }: { type: DealMessage; conversation: string; recipient: string },
  { space, epochs }: { space: Space; epochs: Epochs },
): Effect {
  let scope: Scope;
  const event = ROWS.find((name) => name === type);
  const news: DealNews = {
    ...(type !== 'REJECT' && { fact: { type: FACTS[type], id, by: sender, at } }),
    ...(event && { row: { event_type: event, envelope_id: id, by: sender, to: recipient, slot } }),
  };
  return {
    async reads() {
      scope = await scopeOf(space, conversation, sender, recipient);
      return readsOf(scope);
    },
    apply(tx) {
      const party = partyIn(tx, conversation, sender);
      if (!party.with.includes(recipient) && party.with.length < MAX_WITH) {
        tx.put(partyRef(conversation, sender), { ...party, with: [...party.with, recipient] });
      }
      return update(tx, scope, news, epochs);
    },
  };
}

/** VERDICT: to a side of the deal, by its notary or by the other side. */
export function verdictEffect(
  { id, at, slot, sender }: Signed,
  { conversation, recipient }: { conversation: string; recipient: string },
  { space, epochs }: { space: Space; epochs: Epochs },
): Effect {
  let scopes: Scope[];
  const fact = { type: 'verdict', id, by: sender, at } as const;
  const row = { event_type: 'VERDICT', envelope_id: id, by: sender, to: recipient, slot } as const;
  return {
    async reads() {
      scopes = await scopesOfParty(space, conversation, recipient);
      return [partyRef(conversation, recipient), ...scopes.flatMap(readsOf)];
    },
    apply(tx) {
      const party = partyIn(tx, conversation, recipient);
      checkDeals(party, scopes);
      if (!party.verdicts.some((one) => one.by === sender)) {
        const verdicts = [...party.verdicts, { id, by: sender, at, slot }];
        const kept = { ...party, verdicts: foremost(verdicts, party.assigned?.notary) };
        const ttl = party.with.length > 0 ? PARTY_MS : UNMET_MS;
        tx.put(partyRef(conversation, recipient), kept, { ttl });
      }
      return scopes.flatMap((scope) => update(tx, scope, { fact, row }, epochs));
    },
  };
}

/** NOTARIZE_ASSIGN: one side of a deal names its notary. */
export function assignEffect(
  { id, at, sender }: Signed,
  { conversation, notary }: { conversation: string; notary: string },
  { space, epochs }: { space: Space; epochs: Epochs },
): Effect {
  let scopes: Scope[];
  const assigned: Assignment = { id, by: sender, at, notary };
  return {
    async reads() {
      const found = await scopesOfParty(space, conversation, sender);
      scopes = found.map((scope) => ({ ...scope, notaries: [...new Set([...scope.notaries, notary])] }));
      return [partyRef(conversation, sender), ...scopes.flatMap(readsOf)];
    },
    apply(tx) {
      const party = partyIn(tx, conversation, sender);
      checkDeals(party, scopes);
      if (!party.assigned || at < party.assigned.at) {
        tx.put(partyRef(conversation, sender), { ...party, assigned: { ...assigned } });
      }
      return scopes.flatMap((scope) => update(tx, scope, { fact: { type: 'assign', ...assigned } }, epochs));
    },
  };
}

/** What the ledger says of an escrow between the two; `notary` is the one it names. */
export function escrowEffect(
  fact: Extract<RecordFact, { type: 'locked' | 'closed' }>,
  { conversation, requester, provider, notary }: EscrowName & { readonly notary: string | null },
  { space, epochs }: { space: Space; epochs: Epochs },
): Effect {
  let scope: Scope;
  return {
    async reads() {
      const found = await scopeOf(space, conversation, requester, provider);
      scope = notary === null ? found : { ...found, notaries: [...new Set([...found.notaries, notary])] };
      return readsOf(scope);
    },
    apply: (tx) => update(tx, scope, { fact }, epochs),
  };
}

/** What only the passing of time says about a deal: feedback that need not wait any longer, a party that failed. */
export function lapseEffect(
  { conversation, pair }: Pick<DealRecord, 'conversation' | 'pair'>,
  { space, epochs }: { space: Space; epochs: Epochs },
): Effect {
  let scope: Scope;
  return {
    async reads() {
      scope = await scopeOf(space, conversation, ...pair);
      return readsOf(scope);
    },
    apply: (tx) => update(tx, scope, {}, epochs),
  };
}

/** A deal that was begun after the documents were read would otherwise miss the news. */
function checkDeals(party: StoredParty, scopes: readonly Scope[]): void {
  if (dealsOf(party).length > scopes.length) throw new ReadsMoved();
}

/** The verdicts worth keeping: the assigned notary's, then the earliest. */
function foremost(verdicts: StoredParty['verdicts'], notary: string | undefined): StoredParty['verdicts'] {
  const place = ({ by }: { by: string }) => (by === notary ? 0 : 1);
  return verdicts.sort((one, other) => place(one) - place(other) || one.at - other.at).slice(0, MAX_VERDICTS);
}

/** Brings one deal up to date, shows what has become true, and counts the feedback that waited for it. */
function update(tx: Tx, scope: Scope, { fact, row }: DealNews, epochs: Epochs): readonly DropReason[] {
  const { conversation, pair } = scope;
  const ref = dealRef(conversation, ...pair);
  const before = tx.get(ref) ?? { record: newRecord(conversation, ...pair), rows: [] };
  let deal: StoredDeal = pair.reduce((known, key) => withParty(known, key, partyIn(tx, conversation, key)), before);
  if (fact) deal = { ...deal, record: observe(deal.record, fact) };
  if (row) deal = withRow(deal, row);
  checkScope(scope, deal);
  const shown = showRows(tx, deal, epochs);
  const { record, dropped } = countWaiting(tx, scope, shown.record, epochs);
  const { due: _, ...counted } = countDefault(tx, { ...shown, record }, epochs);
  const due = dueAt(counted, tx.now);
  tx.put(ref, { ...counted, ...(due !== undefined && { due }) }, { ttl: dealLife(record, epochs, due) });
  return dropped;
}

/** Adds what was heard of a notary before the deal was known. */
function withParty(before: StoredDeal, key: string, { assigned, verdicts }: StoredParty): StoredDeal {
  let { record, rows } = before;
  if (assigned) record = observe(record, { type: 'assign', ...assigned });
  for (const { id, by, at, slot } of verdicts) {
    record = observe(record, { type: 'verdict', id, by, at });
    ({ rows } = withRow({ record, rows }, { event_type: 'VERDICT', envelope_id: id, by, to: key, slot }));
  }
  return { ...before, record, rows };
}
