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

/** A breach that counts against one party: it did not deliver, or did not lock the agreed escrow. */
export interface Default {
  readonly kind: 'abandoned' | 'unpaid';
  readonly by: string;
  readonly at: number;
  /** Whether money was locked for the deal: without a lock, nobody has put anything at stake for the claim. */
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
 * The end that one side may rate. Where the terms are private and the provider named no delivery, no aggregator can
 * tell whether a lock is the agreed one. The requester that released it to the provider did so itself, so the
 * provider may rate. The requester may not: a lock of dust, released at once, would let it rate a provider that has
 * only accepted.
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

/** The breach that counts against a party, once no receipt still on its way can change it. */
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

/** The same for a deal without a lock; undefined unless its terms are known. */
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
 * When the provider delivered. Only a DELIVER that names the ACCEPT and comes from the side that does not pay counts.
 * Messages of version 1 do not name the payer: there the agreement names it, or else the ledger, since a key that
 * locks money is no provider. Where neither names it, a party of version 1 can end its own deal early.
 */
function deliveryOf(record: DealRecord): number | undefined {
  const payer = payerOf(record) ?? agreementOf(record)?.requester ?? escrowOf(record)?.lock?.requester;
  const deliveries = counted(record, record.deliveries, 'provider');
  const times = deliveries.flatMap((one) => (one.by !== payer ? [one.at] : []));
  return times.length > 0 ? Math.min(...times) : undefined;
}
