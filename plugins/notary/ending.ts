import type { LedgerEventName } from '../../core/plugin.ts';
import type { EscrowAccounts, EscrowName } from '../../core/services.ts';

export type Ending = 'released' | 'refunded' | 'decided' | 'closed';

const EVENTS = 100;
/** Strangers can make a history long; the end is looked for in this much of it. */
const PAGES = 50;

const ENDINGS: Partial<Record<LedgerEventName, Ending>> = {
  escrow_approved: 'released',
  escrow_claimed: 'released',
  escrow_refunded: 'refunded',
  escrow_reclaimed: 'refunded',
  escrow_decided: 'decided',
  escrow_split: 'closed',
};

/**
 * How an escrow of this notary ended, from a slot on at which it was still there; undefined when its history does not
 * tell. Where it was never seen (`seen` is 0) the history has to show its lock, too.
 */
export async function endingOf(
  escrows: EscrowAccounts,
  name: EscrowName,
  notary: string,
  seen: number,
): Promise<Ending | undefined> {
  let cursor: string | undefined;
  let isOurs = seen > 0;
  for (let page = 0; page < PAGES; page++) {
    const { entries, cursor: next } = await escrows.events(name, cursor, EVENTS);
    if (entries.length === 0) return undefined;
    for (const entry of entries) {
      if (entry.name === 'escrow_locked') isOurs = entry.notary === notary;
      if (entry.name === 'gap' || entry.slot < seen || !isOurs) continue;
      const ending = ENDINGS[entry.name];
      if (ending) return ending;
    }
    cursor = next;
  }
  return undefined;
}
