import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField } from '../../contracts/errors.ts';
import { escrowName } from '../../protocol/deals/agreed-lock.ts';
import { type Deal, lastOffer } from '../../protocol/deals/deal.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import type { EscrowName } from '../../protocol/settlement/steps.ts';
import { agentOf } from './addresses.ts';
import { checkAmount, checkBond } from './amounts.ts';

/** Which escrow a request means: that of a deal of this node, or of the parties it names, as a notary does. */
export function namedEscrow(
  request: SchemaTypes['escrow-request'],
  document: { readonly deal: Deal } | undefined,
): EscrowName {
  const parties = { requester: partyOf(request, 'requester'), provider: partyOf(request, 'provider') };
  const conversation = request.conversation_id.toLowerCase();
  if (!document) {
    const { requester, provider } = parties;
    if (requester === undefined) throw missing('/requester');
    if (provider === undefined) throw missing('/provider');
    return { requester, provider, conversation };
  }
  for (const party of ['requester', 'provider'] as const) {
    if (parties[party] !== undefined && parties[party] !== document.deal[party])
      throw invalidField(`/${party}`, `is not the ${party} of this deal`);
  }
  return escrowName(document.deal);
}

/** Refuses a lock request whose terms differ from the agreed ones. */
export function checkLockRequest(request: SchemaTypes['escrow-lock-request'], deal: Deal): void {
  const { amount, bond, dispute_bps, notary, review_secs, deadline_secs } = lastOffer(deal);
  namedEscrow(request, { deal });
  checkAmount(request, BigInt(amount), 'is not what was agreed');
  checkBond(request, BigInt(bond), 'is not what was agreed');
  if (request.dispute_bps !== undefined && request.dispute_bps !== dispute_bps)
    throw invalidField('/dispute_bps', `is ${dispute_bps} in this deal`);
  if (request.notary !== undefined && notaryOf(request.notary) !== notary)
    throw invalidField('/notary', 'is not the notary that was agreed');
  if (request.review_secs !== undefined && request.review_secs !== review_secs)
    throw invalidField('/review_secs', `is ${review_secs} in this deal`);
  if (request.deadline_secs !== undefined && request.deadline_secs !== deadline_secs)
    throw invalidField('/deadline_secs', `is ${deadline_secs} in this deal`);
}

/** The offer of a dispute: the lowest that the terms allow when none is named. */
export function offerOf(asked: number | undefined, deal: Deal | undefined): number {
  if (!deal) return asked ?? 0;
  const { dispute_bps } = lastOffer(deal);
  const before = deal.escrow?.disputed_at == null ? undefined : (deal.escrow.offer_bps ?? 0);
  if (before !== undefined && asked !== undefined && asked < before)
    throw invalidField('/offer_bps', `is ${before} already; it can only be raised`);
  if (asked !== undefined && asked < dispute_bps)
    throw invalidField('/offer_bps', `must be at least ${dispute_bps} in this deal`);
  return asked ?? dispute_bps;
}

function notaryOf(text: string | null): string | null {
  return text === null ? null : formatAgentId(agentOf(text, '/notary'));
}

function partyOf(request: SchemaTypes['escrow-request'], party: 'requester' | 'provider'): string | undefined {
  const text = request[party];
  return text === undefined ? undefined : formatAgentId(agentOf(text, `/${party}`));
}

function missing(pointer: string): never {
  throw invalidField(pointer, 'is needed: this node has no such deal');
}
