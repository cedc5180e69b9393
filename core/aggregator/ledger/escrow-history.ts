import type { SettlementEvent } from '../../protocol/settlement/events.ts';
import type { EscrowName } from '../../protocol/settlement/steps.ts';
import type { Tx } from '../../storage/transaction.ts';
import { escrowRef, type StoredEscrow } from '../store/ledger.ts';
import { nameOf } from './effects/escrow-end.ts';
import { entryEffect } from './effects/index.ts';
import type { EscrowReaderParts } from './escrow-reader.ts';

const PAGE = 100;
/** Pages of one escrow's history in one look; a life of it has about eight events. */
const MOST_PAGES = 10;

/**
 * Looks in this escrow's own history for events that the history of all escrows did not tell, and takes each as if it
 * came now; taking one again has no effect. When the ledger no longer has that history, nobody can tell how the
 * escrow ended.
 */
export async function tellHistory(parts: EscrowReaderParts, row: StoredEscrow, signal: AbortSignal): Promise<void> {
  const { space, settlement } = parts;
  let isPruned = false;
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES && !signal.aborted; page += 1) {
    const { entries, cursor } = await settlement.escrowEvents(nameOf(row), after, PAGE);
    for (const entry of entries) {
      if (entry.name === 'gap') isPruned ||= entry.reason === 'pruned';
      else if (isOfLife(row, entry)) await apply(parts, entry);
    }
    if (entries.length === 0 || cursor === after) break;
    after = cursor;
  }
  if (!isPruned) return;
  const ref = escrowRef(nameOf(row));
  await space.tx([ref], (tx) => {
    parts.evidence?.note(tx, 'lost', { name: nameOf(row), signature: row.signature });
    loseEscrow(tx, nameOf(row), row.signature);
  });
}

/** Nobody can tell any more how it ended. */
export function loseEscrow(tx: Tx, name: EscrowName, signature: string): void {
  const ref = escrowRef(name);
  const known = tx.get(ref);
  if (known?.signature !== signature || known.ending || known.closed_at !== null) return;
  tx.put(ref, { ...known, state: 'unknown' });
}

/** From its lock on; a later lock of the same name begins another life, which the whole history tells in its turn. */
function isOfLife(row: StoredEscrow, entry: SettlementEvent): boolean {
  return entry.name !== 'escrow_locked' && entry.time * 1000 >= row.locked_at;
}

async function apply(parts: EscrowReaderParts, entry: SettlementEvent): Promise<void> {
  const effect = entryEffect(entry, parts);
  const { value: reasons } = await parts.space.tx([...(await effect.reads())], (tx) => {
    parts.evidence?.note(tx, 'event', { event: entry });
    return effect.apply(tx);
  });
  for (const reason of reasons) parts.dropped({ reason });
}
