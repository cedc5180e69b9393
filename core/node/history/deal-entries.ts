import type { Deal, Escrow } from '../../protocol/deals/deal.ts';
import type { Tx } from '../../storage/transaction.ts';
import { addEntry, type HistoryDraft } from './entries.ts';

type PaidField = 'to_provider' | 'to_requester';

/** The facts of the ledger by which a deal moved from one state to the next. */
export interface DealMove {
  readonly before: Deal;
  readonly after: Deal;
  /** This agent. */
  readonly self: string;
  /** Unique and stable: that of the fact. Where it is the signature of a transaction, the history shows it. */
  readonly fact: string;
}

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{80,90}(?=$|:)/;

/** Adds the entries of a deal whose money has moved, in the transaction that writes the deal. A lock is the entry of its spending. */
export function addDealEntries(tx: Tx, move: DealMove): void {
  const signature = SIGNATURE.exec(move.fact)?.[0] ?? null;
  for (const draft of draftsOf(move))
    addEntry(tx, `deal/${move.after.conversation}/${move.fact}/${draft.action}`, draft, signature);
}

function draftsOf({ before, after, self }: DealMove): HistoryDraft[] {
  const isRequester = after.requester === self;
  const counterparty = isRequester ? after.provider : after.requester;
  const common = { counterparty, conversation: after.conversation };
  const drafts: HistoryDraft[] = [];
  const add = (one: Pick<HistoryDraft, 'type' | 'action' | 'direction'>, amount: bigint) => {
    if (amount > 0n) drafts.push({ ...one, ...common, amount: amount.toString() });
  };
  const outcome = after.escrow?.outcome ?? 'ended';
  if (isRequester)
    add({ type: 'escrow', action: outcome, direction: 'in' }, gained(before.escrow, after.escrow, 'to_requester'));
  else add({ type: 'bounty', action: outcome, direction: 'in' }, gained(before.escrow, after.escrow, 'to_provider'));
  const paid = BigInt(after.paid) - BigInt(before.paid);
  if (isRequester) add({ type: 'transfer', action: 'deal', direction: 'out' }, paid);
  else add({ type: 'bounty', action: 'paid', direction: 'in' }, paid);
  return drafts;
}

function gained(before: Escrow | null, after: Escrow | null, field: PaidField): bigint {
  return BigInt(after?.[field] ?? 0) - BigInt(before?.[field] ?? 0);
}
