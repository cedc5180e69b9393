import { createHash } from 'node:crypto';
import { formatUsdc, MeshError, spendingWindow } from '../../core/plugin.ts';
import type { Tx } from '../../core/services.ts';
import { minorOf } from './amounts.ts';
import { available, type Books, reserved, sides } from './books.ts';
import type { BillingConfig } from './config.ts';
import { SOLANA } from './settlement/chains.ts';
import { platformFee } from './settlement/fees.ts';
import { accounts, type Destination, received, spent, underWay, type Withdrawal, withdrawals } from './stored.ts';
import { windowOf } from './windows.ts';

const ALL = 'all';
/** Of all agents' withdrawals, what came in within the 24 hours before. */
const FRESH = 'fresh';

export interface Wanted extends Destination {
  readonly id: string;
  readonly agent: string;
  readonly kind: Withdrawal['kind'];
  readonly amount: bigint;
  readonly source?: string;
  /** Whether money that the score trusts speaks for the agent. */
  readonly standing?: boolean;
}

/** The documents that a reservation reads, for transactions that declare them. */
export function readsOf(agent: string) {
  return [...windowsOf(agent), underWay.ref(agent)];
}

function windowsOf(agent: string) {
  return [spent.ref(agent), spent.ref(ALL), spent.ref(FRESH), received.ref(agent)] as const;
}

/** Payouts of one deposit are the same payout, however often it is seen. */
export function payoutId(deposit: string): string {
  return createHash('sha256').update(`payout\n${deposit}`).digest('hex').slice(0, 32);
}

/**
 * Sets the amount of a withdrawal aside and writes it down, in the caller's transaction: from here on it goes its way by itself. Throws
 * `withdrawal_cap` and `insufficient_funds` before anything is written.
 */
export function reserve(tx: Tx, books: Books, config: BillingConfig, wanted: Wanted): Withdrawal {
  const { id, agent, kind, chain, address, amount, source } = wanted;
  const { fresh, counted } = countable(tx, config, wanted);
  begin(tx, config, agent);
  books.post(tx, {
    kind: 'reserve',
    ref: id,
    lines: sides({ debit: available(agent), credit: reserved(agent) }, amount),
  });
  for (const { ref, window } of counted) tx.put(ref, window);
  const { fee, provider } = chain === SOLANA ? { fee: 0n, provider: 0n } : platformFee(amount);
  const withdrawal: Withdrawal = {
    ...{ id, agent, kind, chain, address, amount: amount.toString() },
    ...(source !== undefined && { source }),
    ...(fresh > 0n && { fresh: fresh.toString() }),
    ...{ platformFee: fee.toString(), providerFee: provider.toString() },
    ...{ state: 'reserved', created: tx.now, changed: tx.now, due: tx.now, waits: 0 },
  };
  tx.put(withdrawals.ref(id), withdrawal);
  return withdrawal;
}

/** One that came to its end makes room for another. */
export function end(tx: Tx, agent: string): void {
  const ref = underWay.ref(agent);
  const [found] = tx.pull([ref]);
  if (!found) return;
  if (found.count > 1) tx.put(ref, { count: found.count - 1 });
  else tx.del(ref);
}

function begin(tx: Tx, { maxUnderWay }: BillingConfig, agent: string): void {
  const ref = underWay.ref(agent);
  const count = tx.pull([ref])[0]?.count ?? 0;
  if (count >= maxUnderWay)
    throw new MeshError('withdrawal_cap', {
      detail: `plugins.billing.maxUnderWay allows ${maxUnderWay} withdrawals and payouts of one agent at once, and so many are under way; nothing was sent.`,
      extra: { cap: 'plugins.billing.maxUnderWay', limit: maxUnderWay, used: count },
    });
  tx.put(ref, { count: count + 1 });
}

/** Money that comes in. It rests before all of the day is open to it. */
export function countReceived(tx: Tx, agent: string, amount: bigint): void {
  const ref = received.ref(agent);
  const [found] = tx.pull([ref]);
  tx.put(ref, spendingWindow.withSpent(windowOf(found), tx.now, amount));
}

/** The room under the caps comes back with the amount. */
export function uncount(tx: Tx, { agent, amount, fresh = '0', created }: Withdrawal): void {
  const takenFrom = [
    [spent.ref(agent), amount],
    [spent.ref(ALL), amount],
    [spent.ref(FRESH), fresh],
  ] as const;
  for (const [ref, minor] of takenFrom)
    tx.put(
      ref,
      spendingWindow.withoutSpent(windowOf(tx.pull([ref])[0]), spendingWindow.quarterOf(created), BigInt(minor)),
    );
}

/**
 * An agent that takes the same money round and round takes fresh money, so a part of the day is left to money that has rested. Money that
 * has rested leaves first.
 */
function countable(tx: Tx, config: BillingConfig, { agent, amount, standing = false }: Wanted) {
  const once = minorOf(config.maxWithdrawal);
  if (amount > once) throw refusal('maxWithdrawal', once, 0n, amount);
  const refs = windowsOf(agent);
  const [of, ofAll, ofFresh, came] = tx.pull(refs).map(windowOf) as [
    spendingWindow.SpendingWindow,
    spendingWindow.SpendingWindow,
    spendingWindow.SpendingWindow,
    spendingWindow.SpendingWindow,
  ];
  const [own, all, allFresh, fresher] = [of, ofAll, ofFresh, came].map((window) =>
    spendingWindow.spentIn(window, tx.now),
  ) as [bigint, bigint, bigint, bigint];
  const [account] = tx.pull([accounts.ref(agent)]);
  const rested = most(0n, BigInt(account?.available ?? 0) - fresher);
  const fresh = most(0n, amount - rested);
  const day = minorOf(config.maxPerDay);
  const shareOf = (rest: bigint) => (most(0n, rest) * BigInt(config.maxShareOfDay)) / 100n;
  check('maxPerAgentPerDay', minorOf(config.maxPerAgentPerDay), own, amount);
  check('maxPerDay', day, all, amount);
  if (!standing) check('keptForStanding', (day * BigInt(100 - config.keptForStanding)) / 100n, all, amount);
  check('maxShareOfDay', shareOf(day - most(0n, all - own)), own, amount);
  // Keys cost nothing, so a share by key would be one by withdrawal all the same.
  if (fresh > 0n) check('maxFreshOfDay', shareOf((day * BigInt(config.maxFreshOfDay)) / 100n - allFresh), 0n, fresh);
  return {
    fresh,
    counted: [
      { ref: refs[0], window: spendingWindow.withSpent(of, tx.now, amount) },
      { ref: refs[1], window: spendingWindow.withSpent(ofAll, tx.now, amount) },
      ...(fresh > 0n ? [{ ref: refs[2], window: spendingWindow.withSpent(ofFresh, tx.now, fresh) }] : []),
    ],
  };
}

function check(cap: keyof BillingConfig, limit: bigint, used: bigint, needed: bigint): void {
  if (used + needed > limit) throw refusal(cap, limit, used, needed);
}

function refusal(cap: keyof BillingConfig, limit: bigint, used: bigint, needed: bigint): MeshError {
  const detail = `plugins.billing.${cap} allows ${formatUsdc(limit)} USDC: ${formatUsdc(used)} are used, and this is ${formatUsdc(needed)}; nothing was sent.`;
  const extra = { cap: `plugins.billing.${cap}`, limit_usdc: formatUsdc(limit), used_usdc: formatUsdc(used) };
  return new MeshError('withdrawal_cap', { detail, extra });
}

function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
