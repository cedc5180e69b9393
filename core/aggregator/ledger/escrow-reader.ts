import type { Settlement } from '../../ledger/settlement.ts';
import type { Count } from '../../platform/metrics.ts';
import type { EscrowAccount } from '../../protocol/settlement/accounts.ts';
import type { EscrowName } from '../../protocol/settlement/steps.ts';
import type { Tx } from '../../storage/transaction.ts';
import type { EvidenceJournal } from '../evidence/journal.ts';
import { escrowEffect } from '../ingest/effects/deal.ts';
import { type DropReason, NOTHING_DROPPED } from '../ingest/effects/effect.ts';
import { escrowRef, escrows, type StoredEscrow } from '../store/ledger.ts';
import { LOOK_MS } from './account-reader.ts';
import { confirmEnd, type EscrowParts, markOf, nameOf, refsOf } from './effects/escrow-end.ts';
import { tellHistory } from './escrow-history.ts';

export interface EscrowReaderParts extends EscrowParts {
  /** Keeps what scores are made of. */
  readonly evidence?: EvidenceJournal;
  readonly settlement: Settlement;
  /** Counts feedback that had no effect, by reason. */
  readonly dropped: Count;
}

interface Read {
  readonly account: EscrowAccount | undefined;
  readonly slot: number;
  readonly now: number;
}

const BATCH = 100;
/** Batches of escrows that an event speaks of, in one run. */
const MOST_BATCHES = 50;

/**
 * Reads the accounts of the escrows that events speak of, and then of those that have not ended, the longest unread
 * first: an account shows a change of which no event came. An escrow that is gone without an event about its end is
 * looked up in its own history.
 */
export async function readEscrows(parts: EscrowReaderParts, now: number, signal: AbortSignal): Promise<void> {
  const { space, settlement } = parts;
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
    const due = await space.page(escrows, { index: 'stale', to: [now - LOOK_MS], limit: BATCH });
    if (due.length === 0) return;
    const rows = due.map(({ value }) => value);
    const atLeast = Math.max(...rows.map(({ event_slot = 0 }) => event_slot));
    const { slot, value: accounts } = await settlement.escrows(rows.map(nameOf), atLeast);
    for (const [index, row] of rows.entries()) {
      if (signal.aborted) return;
      await take(parts, row, { account: accounts[index], slot, now }, signal);
    }
    if (!rows.some(({ stale }) => stale)) return;
  }
}

async function take(parts: EscrowReaderParts, row: StoredEscrow, read: Read, signal: AbortSignal): Promise<void> {
  const isOver = !isAlive(row, read.account);
  const isPaid = (row.waiting ?? '0') === '0' || read.account !== undefined;
  if (isOver && !(row.ending && isPaid)) await tellHistory(parts, row, signal);
  const { signature } = row;
  const name = nameOf(row);
  const { value: reasons } = await parts.space.tx(refsOf(name), (tx) => {
    const { account = null, slot } = read;
    if (saysMore(tx.get(escrowRef(name)), read)) parts.evidence?.note(tx, 'escrow', { name, signature, slot, account });
    return takeEscrow(tx, { name, signature }, read, parts);
  });
  for (const reason of reasons) parts.dropped({ reason });
}

/** Whether the account is not just as it was: every open escrow is looked at again and again. */
function saysMore(known: StoredEscrow | undefined, { account }: Read): boolean {
  if (!known || !isAlive(known, account)) return true;
  return Object.entries(shown(account)).some(([name, value]) => known[name as keyof StoredEscrow] !== value);
}

/** Takes over the account of an escrow, in a transaction that read `refsOf`. */
export function takeEscrow(
  tx: Tx,
  { name, signature }: { readonly name: EscrowName; readonly signature: string },
  read: Read,
  parts: EscrowParts,
): readonly DropReason[] {
  const known = tx.get(escrowRef(name));
  if (!known || known.signature !== signature || read.slot < (known.read_slot ?? 0)) return NOTHING_DROPPED;
  return applied(tx, known, read, parts);
}

function applied(tx: Tx, known: StoredEscrow, { account, slot, now }: Read, parts: EscrowParts): readonly DropReason[] {
  const ref = escrowRef(nameOf(known));
  const mark = { read_slot: slot, read_at: now, stale: slot < (known.event_slot ?? 0) };
  if (isAlive(known, account)) {
    const seen: StoredEscrow = { ...known, ...shown(account), ...mark };
    tx.put(ref, seen);
    if (seen.delivered_at === null || known.delivered_at !== null) return NOTHING_DROPPED;
    return escrowEffect({ type: 'escrow_delivered', ...markOf(seen) }, nameOf(seen), parts).apply(tx);
  }
  const seen = { ...known, ...mark };
  // Nothing waits in an account that is gone; a payout that is told later still counts.
  if (account === undefined && !mark.stale) seen.waiting = '0';
  tx.put(ref, seen);
  return mark.stale ? NOTHING_DROPPED : confirmEnd(tx, seen, parts);
}

/** Whether the account is this very escrow and has not ended; one that only pays due sums has ended. */
function isAlive(row: StoredEscrow, account: EscrowAccount | undefined): account is EscrowAccount {
  return account !== undefined && isSame(row, account) && account.state !== 'splitting';
}

function isSame({ terms, locked_at }: StoredEscrow, account: EscrowAccount): boolean {
  return account.terms === terms && account.lockedAt * 1000 === locked_at;
}

/** The state that the account shows; it shows no ending. */
function shown(account: EscrowAccount): Partial<StoredEscrow> {
  const { state, delivery, deliveredAt, disputedAt, offerBps, bond } = account;
  return {
    state: state as StoredEscrow['state'],
    bond: bond.toString(),
    delivered_at: inMilliseconds(deliveredAt),
    delivery,
    disputed_at: inMilliseconds(disputedAt),
    ...(disputedAt !== null && { offer_bps: offerBps }),
    ...(state === 'contested' && { contested: true }),
  };
}

function inMilliseconds(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}
