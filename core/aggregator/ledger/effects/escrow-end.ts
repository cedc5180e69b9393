import type { Closing, DisputeEnd } from '../../../protocol/deals/record-escrows.ts';
import type { EscrowName } from '../../../protocol/settlement/steps.ts';
import type { Ref } from '../../../storage/declarations.ts';
import type { Space } from '../../../storage/space.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import { escrowEffect } from '../../ingest/effects/deal.ts';
import { type DropReason, NOTHING_DROPPED } from '../../ingest/effects/effect.ts';
import { DealName, readsOf } from '../../ingest/effects/scope.ts';
import { addDeed, addPayment, inUsdc } from '../../ingest/score-facts.ts';
import { escrowRef, type StoredEscrow } from '../../store/ledger.ts';

export interface EscrowParts {
  readonly space: Space;
  readonly epochs: Epochs;
}

export function nameOf({ requester, provider, conversation_id }: StoredEscrow): EscrowName {
  return { requester, provider, conversation: conversation_id };
}

/** Which of the escrows of one name it is, for the record of the deal. */
export function markOf({
  terms,
  locked_at,
  amount,
}: StoredEscrow): Pick<StoredEscrow, 'terms' | 'locked_at' | 'amount'> {
  return { terms, locked_at, amount };
}

/** The documents that a change of an escrow can touch. */
export function refsOf(name: EscrowName): Ref<any>[] {
  const { conversation, requester, provider } = name;
  const deal = new DealName(conversation, requester, provider);
  return [escrowRef(name), ...readsOf(deal)];
}

/**
 * The account confirms the ending that events told: it is gone, or only pays what is still due. From here on the end
 * is the deal's, and the sum paid to the provider counts as settled between the two. Runs again whenever more of it
 * has been paid, in a transaction that read `refsOf`.
 */
export function confirmEnd(tx: Tx, escrow: StoredEscrow, parts: EscrowParts): readonly DropReason[] {
  const { ending, released } = escrow;
  if (!ending) return NOTHING_DROPPED;
  const name = nameOf(escrow);
  const paid = escrow.payouts?.to_provider ?? released;
  const more = BigInt(paid) - BigInt(released);
  if (more > 0n) addPayment(tx, name, more, parts.epochs, ending.at);
  const burnt = escrow.payouts?.burnt ?? '0';
  const gone = BigInt(burnt) - BigInt(escrow.burnt ?? '0');
  if (gone > 0n) addDeed(tx, name.requester, { burnt: inUsdc(gone) }, ending.at, parts.epochs);
  tx.put(escrowRef(name), { ...escrow, state: ending.outcome, closed_at: ending.at, released: paid, burnt });
  const closing = { ...closingOf(escrow, ending), released: paid, burnt };
  return escrowEffect({ type: 'closed', ...markOf(escrow), ...closing }, name, parts).apply(tx);
}

function closingOf(escrow: StoredEscrow, { outcome, at }: NonNullable<StoredEscrow['ending']>): Closing {
  const dispute = disputeOf(escrow, outcome);
  return { outcome, at, ...(dispute && { dispute }) };
}

/** A burn says that it was contested, and a split that it was disputed, whatever else of its history is known. */
function disputeOf(
  { disputed_at, offer_bps = 0, contested = false, decision, payouts }: StoredEscrow,
  outcome: Closing['outcome'],
): DisputeEnd | undefined {
  if (disputed_at === null && outcome !== 'split' && outcome !== 'decided') return undefined;
  const burnt = payouts?.burnt ?? '0';
  return { offer_bps, contested: contested || burnt !== '0', for_provider: decision ?? null, burnt };
}
