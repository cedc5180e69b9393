import type { DealRecord } from '../../../protocol/deals/record.ts';
import { notariesOf } from '../../../protocol/deals/record.ts';
import type { Ref } from '../../../storage/declarations.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import {
  dealLife,
  dealRef,
  isSettled,
  NO_PARTY,
  partyRef,
  type StoredDeal,
  type StoredParty,
  waiting,
} from '../../store/deals.ts';

/** The names of one deal, and the references that are made of them, each once. */
export class DealName {
  readonly conversation: string;
  readonly pair: readonly [string, string];
  readonly ref: Ref<StoredDeal>;
  #parties: readonly [Ref<StoredParty>, Ref<StoredParty>] | undefined;

  constructor(conversation: string, one: string, other: string) {
    this.conversation = conversation;
    this.pair = [one, other];
    this.ref = dealRef(conversation, one, other);
  }

  /** The stored parties of the pair, in its order. */
  get parties(): readonly [Ref<StoredParty>, Ref<StoredParty>] {
    const { conversation, pair } = this;
    this.#parties ??= [partyRef(conversation, pair[0]), partyRef(conversation, pair[1])];
    return this.#parties;
  }
}

/** Deals of one side that a notary's message can be about; no side has more in one conversation in earnest. */
const MAX_DEALS = 4;

/** The other sides of the deals that are looked at. */
export function dealsOf(party: StoredParty): readonly string[] {
  return party.with.slice(0, MAX_DEALS);
}

/** The documents that every effect on a deal works on. An effect pulls all others, such as those of notaries. */
export function readsOf({ ref, parties, pair }: DealName): Ref<any>[] {
  return [ref, ...parties, waiting.ref(pair[0]), waiting.ref(pair[1])];
}

export function dealIn(tx: Tx, { ref }: DealName): StoredDeal | undefined {
  return tx.pull([ref])[0];
}

export function partyIn(tx: Tx, ref: Ref<StoredParty>): StoredParty {
  return tx.pull([ref])[0] ?? NO_PARTY;
}

export function partiesIn(tx: Tx, { parties }: DealName): StoredParty[] {
  return tx.pull(parties).map((party) => party ?? NO_PARTY);
}

/** Stores a deal, and forgets of the sides of a settled one that they had it where they have nothing else there. */
export function storeDeal(tx: Tx, name: DealName, deal: StoredDeal, epochs: Epochs): void {
  tx.put(name.ref, deal, { ttl: dealLife(deal, epochs, tx.now) });
  if (!isSettled(deal)) return;
  for (const [side, party] of tx.pull(name.parties).entries()) {
    const isOver = party?.with.length === 1 && party.with[0] === name.pair[1 - side];
    if (isOver && party.assigned === null && party.verdicts.length === 0) tx.del(name.parties[side]!);
  }
}

/** Everybody who can have to do with a deal: its two sides, then the notaries that one of them assigned or it names. */
export function keysOf({ pair }: DealName, parties: readonly StoredParty[], records: readonly DealRecord[]): string[] {
  const assigned = parties.flatMap((party) => party.assigned?.notary ?? []);
  const named = records.flatMap(notariesOf);
  return assigned.length + named.length === 0 ? [...pair] : [...new Set([...pair, ...assigned, ...named])];
}
