import type { SchemaTypes } from '../../../schemas/types.ts';
import {
  COUNTED_MS,
  EMPTY,
  fallsTo,
  KEPT_MS,
  quarterOf,
  type SpendingWindow,
  spentIn,
  withoutSpent,
  withSpent,
} from '../../platform/spending-window.ts';
import { collection, type Ref } from '../../storage/declarations.ts';
import type { Tx } from '../../storage/transaction.ts';
import type { HistoryDraft } from '../history/entries.ts';
import { capRefusal } from './cap-refusal.ts';
import type { Caps } from './caps.ts';

/** USDC that is about to leave the wallet. */
export interface Spending {
  /** Identifies the spending: one reserved again under its name counts once, from the newest reservation on. */
  readonly name: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly for: ForPartner | ForStake | { readonly type: 'lease' | 'transaction' };
  /** The entry in the history once it is final; absent where its deal tells it. */
  readonly entry?: HistoryDraft;
}

/** A spending whose amount is read from the ledger when its transaction is made. */
export interface LateSpending {
  readonly name: string;
  of(): Promise<Spending>;
}

/** A deal with somebody, a transfer to them, or a payment by x402. */
interface ForPartner {
  readonly type: 'deal' | 'transfer' | 'x402';
  readonly partner: string;
}

interface ForStake {
  readonly type: 'stake';
  /** Minor units that the agent has at stake already: `maxStake` limits the sum. */
  readonly atStake: bigint;
}

/** Takes part in a transaction of the node's space. Both are pure. */
export interface Reservation {
  readonly reads: readonly Ref<any>[];
  /** Counts the spending; throws `spending_cap` when a cap does not allow it. */
  reserve(tx: Tx): void;
  /** The spending certainly did not happen: it counts no more. */
  release(tx: Tx): void;
}

/** The requester's spending for a lock: amount and bond leave its wallet together. */
export function lockSpending(
  name: string,
  lock: {
    readonly conversation: string;
    readonly provider: string;
    readonly amount: bigint;
    readonly bond: bigint;
  },
): Spending {
  const { conversation, provider } = lock;
  const amount = lock.amount + lock.bond;
  const entry: HistoryDraft = {
    ...{ type: 'escrow', action: 'lock', direction: 'out', amount: amount.toString() },
    ...{ counterparty: provider, conversation },
  };
  return { name, amount, for: { type: 'deal', partner: provider }, entry };
}

type SpendingRecord = SchemaTypes['spending'];

/** Reserved spendings, by name; `unsettled` lists those whose transaction has not been seen to land. */
export const spendings = collection<SpendingRecord, 'unsettled'>('spendings', {
  schema: 'spending',
  ttl: COUNTED_MS,
  indexes: { unsettled: ({ settled, from }) => (settled ? undefined : [from]) },
});

const windows = collection<SpendingWindow>('spending-windows', { schema: 'spending-window', ttl: KEPT_MS });
/** All that left the wallet. */
export const dayWindow = windows.ref('day');
/** A payment by x402. */
export const x402Window = windows.ref('x402');
export const partnerWindow = (partner: string) => windows.ref(`partner/${partner}`);

/** `settled`: whoever releases it knows by itself when to; nobody has to ask the ledger. */
export function reservationOf(caps: Caps, spending: Spending, settled: boolean): Reservation {
  const record = spendings.ref(spending.name);
  const partner = 'partner' in spending.for ? spending.for.partner : null;
  const isX402 = spending.for.type === 'x402';
  const limits = [
    ...(partner === null ? [] : [{ cap: 'maxPerPartnerPerDay' as const, ref: partnerWindow(partner) }]),
    ...(isX402 ? [{ cap: 'maxX402PerDay' as const, ref: x402Window }] : []),
    { cap: 'maxPerDay' as const, ref: dayWindow },
  ];
  const counted = limits.map(({ ref }) => ref);

  /** The windows without what an earlier reservation of that name has put there. */
  function before(tx: Tx): SpendingWindow[] {
    const earlier = tx.get(record);
    return counted.map((ref) => {
      const window = tx.get(ref) ?? EMPTY;
      return earlier ? withoutSpent(window, earlier.from, BigInt(earlier.amount)) : window;
    });
  }

  return {
    reads: [record, ...counted],
    reserve(tx) {
      const found = before(tx);
      checkOne(caps, spending);
      for (const [index, { cap }] of limits.entries()) checkWindow(cap, caps, found[index]!, spending.amount, tx.now);
      for (const [index, ref] of counted.entries()) tx.put(ref, withSpent(found[index]!, tx.now, spending.amount));
      tx.put(record, {
        ...{ amount: spending.amount.toString(), partner, from: quarterOf(tx.now), settled },
        ...(isX402 && { x402: true }),
        ...(spending.entry && { entry: spending.entry }),
      });
    },
    release(tx) {
      if (!tx.get(record)) return;
      for (const [index, window] of before(tx).entries()) tx.put(counted[index]!, window);
      tx.del(record);
    },
  };
}

/** The reservation of a record, for taking it back. */
export function recordedReservation(caps: Caps, name: string, { amount, partner, x402 }: SpendingRecord): Reservation {
  const type = x402 ? 'x402' : 'deal';
  const purpose = partner === null ? ({ type: 'lease' } as const) : ({ type, partner } as const);
  return reservationOf(caps, { name, amount: BigInt(amount), for: purpose }, false);
}

/** Throws `spending_cap` for a deal or transfer that may not take so much from the wallet, whenever it is. */
export function checkDealCost({ maxEscrow }: Pick<Caps, 'maxEscrow'>, amount: bigint): void {
  if (amount > maxEscrow) throw capRefusal({ cap: 'maxEscrow', limit: maxEscrow, used: 0n, needed: amount });
}

function checkOne(caps: Caps, { amount, for: purpose }: Spending): void {
  const { maxStake } = caps;
  if ('partner' in purpose || purpose.type === 'transaction') checkDealCost(caps, amount);
  if (purpose.type === 'stake' && purpose.atStake + amount > maxStake)
    throw capRefusal({ cap: 'maxStake', limit: maxStake, used: purpose.atStake, needed: amount });
}

function checkWindow(
  cap: 'maxPerDay' | 'maxPerPartnerPerDay' | 'maxX402PerDay',
  { [cap]: limit }: Caps,
  window: SpendingWindow,
  needed: bigint,
  now: number,
): void {
  const used = spentIn(window, now);
  if (used + needed <= limit) return;
  const freeFrom = needed > limit ? undefined : fallsTo(window, now, limit - needed);
  throw capRefusal({ cap, limit, used, needed, freeFrom });
}
