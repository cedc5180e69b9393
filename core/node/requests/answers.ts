import { invalidField } from '../../contracts/errors.ts';
import type { Deal } from '../../protocol/deals/deal.ts';
import type { DealDocument } from '../deals/deal-document.ts';
import { agentIdOf } from './addresses.ts';
import { checkAmount } from './amounts.ts';

interface Acceptance {
  readonly amount_usdc?: string;
  readonly amount_usdc_micro?: number | string;
  readonly offer_id?: string;
}

/** Holds an acceptance against the last offer, so that no newer one is accepted unseen. */
export function checkAcceptance(asked: Acceptance, offer: Pick<Deal['offers'][number], 'id' | 'amount'>): void {
  if (asked.offer_id !== undefined && asked.offer_id !== offer.id)
    throw invalidField('/offer_id', `is not that of the last offer, which is ${offer.id}`);
  checkAmount(asked, BigInt(offer.amount), 'is not that of the last offer');
}

/** A step of a deal goes to its other side; who names somebody else has another deal in mind. */
export function checkOtherSide(recipient: string | undefined, { deal, named }: DealDocument, self: string): void {
  if (recipient === undefined) return;
  const other = self === deal.requester ? deal.provider : deal.requester;
  const meant = agentIdOf(recipient, '/recipient');
  if (meant !== other && meant !== named)
    throw invalidField('/recipient', `is not the other side of this deal, which is ${other}`);
}
