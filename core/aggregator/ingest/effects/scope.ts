import type { DealRecord } from '../../../deals/record.ts';
import { notariesOf } from '../../../deals/record.ts';
import type { Ref } from '../../../storage/declarations.ts';
import type { Tx } from '../../../storage/transaction.ts';
import { dealRef, NO_PARTY, partyRef, type StoredDeal, type StoredParty, waiting } from '../../store/deals.ts';

/** The names of one deal. */
export interface DealName {
  readonly conversation: string;
  readonly pair: readonly [string, string];
}

/** Deals of one side that a notary's message can be about; no side has more in one conversation in earnest. */
const MAX_DEALS = 4;

/** The other sides of the deals that are looked at. */
export function dealsOf(party: StoredParty): readonly string[] {
  return party.with.slice(0, MAX_DEALS);
}

/** What news of a deal always works on. Whatever else it comes to, such as notaries, is pulled. */
export function readsOf({ conversation, pair }: DealName): Ref<any>[] {
  return [
    dealRef(conversation, ...pair),
    ...pair.flatMap((key): Ref<any>[] => [partyRef(conversation, key), waiting.ref(key)]),
  ];
}

export function dealIn(tx: Tx, { conversation, pair }: DealName): StoredDeal | undefined {
  return tx.pull([dealRef(conversation, ...pair)])[0];
}

export function partiesIn(tx: Tx, conversation: string, keys: readonly string[]): StoredParty[] {
  return tx.pull(keys.map((key) => partyRef(conversation, key))).map((party) => party ?? NO_PARTY);
}

/** Everybody who can have to do with a deal: its two sides, then the notaries that one of them assigned or it names. */
export function keysOf({ pair }: DealName, parties: readonly StoredParty[], records: readonly DealRecord[]): string[] {
  const assigned = parties.flatMap((party) => party.assigned?.notary ?? []);
  const named = records.flatMap(notariesOf);
  return assigned.length + named.length === 0 ? [...pair] : [...new Set([...pair, ...assigned, ...named])];
}
