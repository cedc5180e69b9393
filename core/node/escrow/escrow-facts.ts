import { agreementOf, unkeptLock } from '../../protocol/deals/agreed-lock.ts';
import type { Deal } from '../../protocol/deals/deal.ts';
import type { LedgerEvent } from '../../protocol/deals/events.ts';
import type { EscrowAccount } from '../../protocol/settlement/accounts.ts';
import type { SettlementEvent } from '../../protocol/settlement/events.ts';

/** Why this account is not the lock that the deal of this party's node follows. */
export function accountProblem(deal: Deal, account: EscrowAccount, self: string): string | undefined {
  if (deal.escrow && deal.escrow.locked_at !== account.lockedAt * 1000) return 'it is a later lock';
  return unkeptLock(agreementOf(deal), account, account.lockedAt, self);
}

/**
 * The facts in the escrow account that the deal has not recorded yet, oldest first. The node decides its duties from
 * these: nobody can hide an account as a transaction's logs can be hidden.
 */
export function accountFacts({ escrow }: Deal, account: EscrowAccount, disputeSecs: number): LedgerEvent[] {
  const { address, requester, provider, lockedAt, deliveredAt, delivery, disputedAt, offerBps, state } = account;
  const facts: LedgerEvent[] = [];
  const stamp = (name: string, by: string, at: number) => ({ id: `${address}:${lockedAt}:${name}`, by, at: at * 1000 });
  if (!escrow) facts.push({ type: 'locked', ...stamp('locked', requester, lockedAt), dispute_secs: disputeSecs });
  if (deliveredAt !== null && delivery !== null && (escrow?.delivered_at ?? null) === null)
    facts.push({ type: 'escrow_delivered', ...stamp('delivered', provider, deliveredAt), delivery });
  if (disputedAt === null) return facts;
  const offer_bps = offerBps;
  if (state === 'contested' && (escrow?.contested_at ?? null) === null)
    facts.push({ type: 'escrow_contested', ...stamp('contested', provider, disputedAt), offer_bps });
  else if (state === 'disputed' && (escrow?.offer_bps ?? -1) < offerBps)
    facts.push({ type: 'escrow_disputed', ...stamp(`disputed:${offerBps}`, requester, disputedAt), offer_bps });
  return facts;
}

/** The fact that an event before the escrow's end stands for; undefined for every other event of its history. */
export function historyFact(event: SettlementEvent, disputeSecs: number): LedgerEvent | undefined {
  const stamp = { id: `${event.signature}:${event.ordinal}`, at: event.time * 1000 };
  switch (event.name) {
    case 'escrow_locked':
      return { type: 'locked', ...stamp, by: event.requester, dispute_secs: disputeSecs };
    case 'escrow_delivered':
      return { type: 'escrow_delivered', ...stamp, by: event.provider, delivery: event.delivery };
    case 'escrow_disputed':
      return { type: 'escrow_disputed', ...stamp, by: event.requester, offer_bps: event.offerBps };
    case 'escrow_contested':
      return { type: 'escrow_contested', ...stamp, by: event.provider, offer_bps: event.offerBps };
    default:
      return undefined;
  }
}

/** How the escrow ended, if this event tells; or what had to wait at its end and was paid since. */
export function endingFact(event: SettlementEvent): LedgerEvent | undefined {
  const stamp = { id: `${event.signature}:${event.ordinal}`, at: event.time * 1000 };
  switch (event.name) {
    case 'escrow_approved':
      return { type: 'released', ...stamp, by: event.requester, ...payoutOf(event) };
    case 'escrow_refunded':
      return { type: 'refunded', ...stamp, by: event.provider, ...payoutOf(event) };
    case 'escrow_reclaimed':
      return { type: 'reclaimed', ...stamp, by: event.feePayer, ...payoutOf(event) };
    case 'escrow_claimed':
      return { type: 'claimed', ...stamp, by: event.feePayer, ...payoutOf(event) };
    case 'escrow_decided':
      return { type: 'decided', ...stamp, by: event.feePayer, ...payoutOf(event) };
    case 'escrow_split':
      return { type: 'split', ...stamp, by: event.feePayer, ...payoutOf(event) };
    default:
      return undefined;
  }
}

interface Payout {
  readonly toProvider: bigint;
  readonly toRequester: bigint;
  readonly burnt: bigint;
  readonly remaining: bigint;
}

function payoutOf({ toProvider, toRequester, burnt, remaining }: Payout) {
  return {
    to_provider: toProvider.toString(),
    to_requester: toRequester.toString(),
    burnt: burnt.toString(),
    remaining: remaining.toString(),
  };
}
