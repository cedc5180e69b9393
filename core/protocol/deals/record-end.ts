import type { EscrowOutcome } from './deal.ts';
import { LOCK_MS } from './deal.ts';
import { acceptanceOf, agreedEscrowOf, type DealRecord, escrowOf, notariesOf } from './record.ts';
import { agreementOf } from './record-agreement.ts';
import { counted, isAnswerTo, payerOf } from './record-ties.ts';

export type EndKind = 'delivered' | 'settled' | 'refunded' | 'abandoned' | 'split' | 'verdict';

export interface End {
  readonly kind: EndKind;
  readonly at: number;
}

/** What one party owes its reputation: a deal it did not deliver, or did not lock for though that was agreed. */
export interface Default {
  readonly kind: 'abandoned' | 'unpaid';
  readonly by: string;
  readonly at: number;
  /** Whether money was locked for it: where none was, nobody has put anything down for what is said. */
  readonly locked: boolean;
}

/** How long receipts may be on their way from either node before an aggregator draws a conclusion from their absence. */
export const REPORT_MS = 24 * 3_600_000;

/** The shortest time to deliver whose lapse counts against a provider. */
export const WORK_MS = 3_600_000;

const CLOSED: Record<EscrowOutcome, EndKind> = {
  released: 'settled',
  claimed: 'settled',
  refunded: 'refunded',
  reclaimed: 'abandoned',
  decided: 'verdict',
  split: 'split',
};

/** The latest end that the deal has come to; undefined while it runs, or when there is none. */
export function endOf(record: DealRecord): End | undefined {
  const accepted = acceptanceOf(record);
  if (!accepted) return undefined;
  const ends: End[] = [];
  const delivery = deliveryOf(record);
  if (delivery !== undefined) ends.push({ kind: 'delivered', at: delivery });
  const notaries = notariesOf(record);
  for (const verdict of record.verdicts)
    if (notaries.includes(verdict.by) && isAnswerTo(record, verdict)) ends.push({ kind: 'verdict', at: verdict.at });
  const closed = agreedEscrowOf(record)?.closed;
  if (closed) ends.push({ kind: CLOSED[closed.outcome], at: closed.at });
  // A message cannot end a deal before it began, whatever time its signer wrote into it.
  const [last] = ends.sort((one, other) => other.at - one.at || (one.kind < other.kind ? -1 : 1));
  return last && { kind: last.kind, at: Math.max(last.at, accepted.at) };
}

/**
 * The end that one side may rate. Where the terms are private and the provider named no delivery, nobody can tell that a
 * lock is the agreed one; but who released it to the provider did so itself, so the provider may rate. Its requester may
 * not: a lock of dust, released at once, would let it rate whoever has only accepted.
 */
export function ratableEnd(record: DealRecord, rater: string): End | undefined {
  return endOf(record) ?? releaseTo(record, rater);
}

function releaseTo(record: DealRecord, provider: string): End | undefined {
  const accepted = acceptanceOf(record);
  if (!accepted || agreementOf(record)) return undefined;
  const payer = payerOf(record);
  const released = record.escrows.find(
    ({ terms, lock, closed }) =>
      terms === accepted.id &&
      lock?.requester === payer &&
      lock?.provider === provider &&
      closed?.outcome === 'released',
  );
  return released && { kind: 'settled', at: Math.max(released.closed!.at, accepted.at) };
}

/** What to count against a party, once nothing that is still on its way can change it. */
export function defaultOf(record: DealRecord, now: number): Default | undefined {
  const due = defaultDueAt(record);
  if (due === undefined || now < due) return undefined;
  const accepted = acceptanceOf(record)!;
  const lock = agreedEscrowOf(record)?.lock;
  if (!lock) {
    const { requester, provider, terms } = agreementOf(record)!;
    if (terms.escrow) return { kind: 'unpaid', by: requester, at: accepted.at + LOCK_MS, locked: false };
    return { kind: 'abandoned', by: provider, at: accepted.at + terms.deadline_secs * 1000, locked: false };
  }
  const delivery = deliveryOf(record);
  if (delivery !== undefined && delivery < lock.deadline) return undefined;
  return { kind: 'abandoned', by: lock.provider, at: lock.deadline, locked: true };
}

/** When `defaultOf` can first tell, as far as the record goes; undefined while there is nothing to tell. */
export function defaultDueAt(record: DealRecord): number | undefined {
  const accepted = acceptanceOf(record);
  if (!accepted) return undefined;
  const escrow = agreedEscrowOf(record);
  if (!escrow?.lock) return unlockedDueAt(record, accepted.at);
  if (escrow.closed?.outcome !== 'reclaimed') return undefined;
  // Terms that left no time to work prove nothing.
  return escrow.lock.deadline - escrow.lock.at < WORK_MS ? undefined : escrow.closed.at + REPORT_MS;
}

/** The same of a deal for which nothing was locked, whose contents are known. */
function unlockedDueAt(record: DealRecord, acceptedAt: number): number | undefined {
  const terms = agreementOf(record)?.terms;
  if (!terms) return undefined;
  if (terms.escrow) return acceptedAt + LOCK_MS + REPORT_MS;
  const toWork = terms.deadline_secs * 1000;
  const delivery = deliveryOf(record);
  const inTime = delivery !== undefined && delivery < acceptedAt + toWork;
  return inTime || toWork < WORK_MS ? undefined : acceptedAt + toWork + REPORT_MS;
}

/**
 * When the work was handed over: only the DELIVER of the side that does not pay counts, and it names the ACCEPT. Messages
 * of version 1 do not say who pays; where the agreement or the ledger does (whoever locks, for whatever it may be, is no
 * provider) that holds there too. Elsewhere a party of version 1 can end its own deal early.
 */
function deliveryOf(record: DealRecord): number | undefined {
  const payer = payerOf(record) ?? agreementOf(record)?.requester ?? escrowOf(record)?.lock?.requester;
  const deliveries = counted(record, record.deliveries, 'provider');
  const times = deliveries.flatMap((one) => (one.by !== payer ? [one.at] : []));
  return times.length > 0 ? Math.min(...times) : undefined;
}
