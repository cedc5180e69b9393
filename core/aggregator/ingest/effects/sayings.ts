import { agreedEscrowOf, type DealRecord, escrowOf } from '../../../deals/record.ts';
import type { Saying } from '../../../reputation/sums.ts';
import type { Tx } from '../../../storage/transaction.ts';
import { escrowRef, type StoredEscrow } from '../../store/ledger.ts';
import { inUsdc } from '../score-facts.ts';

/** What one rating says, and how much money of its deal stands behind it. */
export interface Rated {
  readonly rater: string;
  readonly target: string;
  /** -100 to 100. */
  readonly value: number;
  /** The epoch in which it was signed. */
  readonly epoch: number;
}

/** What the escrow of a deal came to, in minor units. */
export interface Settled {
  readonly requester: string;
  readonly provider: string;
  readonly released: bigint;
  /** What came back of what the two had agreed to lock, the bond not counted. */
  readonly returned: bigint;
}

/**
 * What a rating says: of the payer about work it paid for, of the provider about who paid it, of the payer about work
 * whose money came back, or of a deal without money. Nothing stands behind what a notary says or is told.
 */
export function sayingsOf({ rater, target, value, epoch }: Rated, settled: Settled | undefined): Saying[] {
  const byPayer = settled !== undefined && rater === settled.requester && target === settled.provider;
  const byProvider = settled !== undefined && rater === settled.provider && target === settled.requester;
  const sayings: Saying[] = [];
  if (byPayer && settled.released > 0n) sayings.push({ kind: 'paid', mass: inUsdc(settled.released), value, epoch });
  if (byPayer && settled.returned > 0n && value < 0)
    sayings.push({ kind: 'returned', mass: inUsdc(settled.returned), value, epoch });
  if (byProvider && settled.released > 0n) sayings.push({ kind: 'word', mass: inUsdc(settled.released), value, epoch });
  return sayings.length > 0 ? sayings : [{ kind: 'free', mass: 1, value, epoch }];
}

/** What the escrow of this deal came to; undefined while none has ended. */
export function settledOf(tx: Tx, record: DealRecord): Settled | undefined {
  const escrow = escrowOf(record);
  if (!escrow?.lock || !escrow.closed) return undefined;
  const { requester, provider } = escrow.lock;
  const [stored] = tx.pull([escrowRef({ requester, provider, conversation: record.conversation })]);
  // One that was locked later under the same name is another one.
  if (!stored || stored.terms !== escrow.terms || stored.locked_at !== escrow.locked_at) return undefined;
  return outcomeOf(stored, agreedEscrowOf(record) === escrow);
}

/** `agreed`: whether it is what the two had agreed; anybody can lock anything else and take it back. */
export function outcomeOf(escrow: StoredEscrow, agreed: boolean): Settled {
  const { requester, provider, amount, payouts } = escrow;
  const released = BigInt(payouts?.to_provider ?? escrow.released);
  const left = BigInt(amount) - released - BigInt(payouts?.burnt ?? '0');
  return { requester, provider, released, returned: agreed && left > 0n ? left : 0n };
}
