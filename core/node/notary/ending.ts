import type { Settlement } from '../../ledger/settlement.ts';
import type { SettlementEvent } from '../../ledger/settlement-events.ts';
import type { EscrowName } from '../../ledger/settlement-steps.ts';

export type Ending = 'released' | 'refunded' | 'decided' | 'closed';

const EVENTS = 100;
/** Strangers can make a history long; the end is looked for in this much of it. */
const PAGES = 50;

const ENDINGS: Partial<Record<SettlementEvent['name'], Ending>> = {
  escrow_approved: 'released',
  escrow_claimed: 'released',
  escrow_refunded: 'refunded',
  escrow_reclaimed: 'refunded',
  escrow_decided: 'decided',
  escrow_split: 'closed',
};

/** How the escrow ended after a slot at which it was still there; undefined when its history does not tell. */
export async function endingOf(settlement: Settlement, name: EscrowName, seen: number): Promise<Ending | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const { entries, cursor: next } = await settlement.escrowEvents(name, cursor, EVENTS);
    if (entries.length === 0) return undefined;
    for (const entry of entries) {
      const ending = entry.name === 'gap' || entry.slot < seen ? undefined : ENDINGS[entry.name];
      if (ending) return ending;
    }
    cursor = next;
  }
  return undefined;
}
