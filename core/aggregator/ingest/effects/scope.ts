import { notariesOf } from '../../../deals/record.ts';
import type { Ref } from '../../../storage/declarations.ts';
import type { Space } from '../../../storage/space.ts';
import type { Tx } from '../../../storage/transaction.ts';
import { agents } from '../../store/agents.ts';
import {
  dealRef,
  NO_PARTY,
  opinionRef,
  partyRef,
  type StoredDeal,
  type StoredParty,
  waiting,
} from '../../store/deals.ts';
import { flowRef } from '../../store/ledger.ts';
import { ReadsMoved } from './effect.ts';

/** A deal and everybody who can have to do with it: its two sides, then the notaries one of them assigned. */
export interface Scope {
  readonly conversation: string;
  readonly pair: readonly [string, string];
  readonly notaries: readonly string[];
}

/** Deals of one side that a notary's message can be about; no side has more in one conversation in earnest. */
const MAX_DEALS = 4;

/** The scope of the deal between two sides. */
export async function scopeOf(space: Space, conversation: string, one: string, other: string): Promise<Scope> {
  const [parties, [deal]] = await Promise.all([
    space.getMany([partyRef(conversation, one), partyRef(conversation, other)]),
    space.getMany([dealRef(conversation, one, other)]),
  ]);
  const assigned = parties.flatMap((party) => party?.assigned?.notary ?? []);
  const named = deal ? notariesOf(deal.record) : [];
  const notaries = [...new Set([...assigned, ...named])].filter((key) => key !== one && key !== other);
  return { conversation, pair: [one, other], notaries };
}

/** The scopes of the deals that a side has in a conversation, as far as its own messages tell. */
export async function scopesOfParty(space: Space, conversation: string, key: string): Promise<Scope[]> {
  const party = await space.get(partyRef(conversation, key));
  return Promise.all(dealsOf(party ?? NO_PARTY).map((other) => scopeOf(space, conversation, key, other)));
}

/** The other sides of the deals that are looked at. */
export function dealsOf(party: StoredParty): readonly string[] {
  return party.with.slice(0, MAX_DEALS);
}

export function readsOf({ conversation, pair, notaries }: Scope): Ref<any>[] {
  const keys = [...pair, ...notaries];
  return [
    dealRef(conversation, ...pair),
    flowRef(...pair),
    ...pair.map((key) => partyRef(conversation, key)),
    ...keys.flatMap((key) => [agents.ref(key), waiting.ref(key)]),
    ...keys.flatMap((rater) => keys.filter((key) => key !== rater).map((target) => opinionRef(rater, target))),
  ];
}

/** Makes sure that the notaries a deal has now are those whose documents were read. */
export function checkScope({ pair, notaries }: Scope, deal: StoredDeal): void {
  const known = [...pair, ...notaries];
  if (notariesOf(deal.record).some((key) => !known.includes(key))) throw new ReadsMoved();
}

export function partyIn(tx: Tx, conversation: string, key: string): StoredParty {
  return tx.get(partyRef(conversation, key)) ?? NO_PARTY;
}
