import { createHash } from 'node:crypto';
import { formatUsdc, MeshError } from '../../core/plugin.ts';
import type { Tx } from '../../core/services.ts';
import { minorOf } from './amounts.ts';
import { available, type Books, reserved, sides } from './books.ts';
import type { BillingConfig } from './config.ts';
import { SOLANA } from './settlement/chains.ts';
import { platformFee } from './settlement/fees.ts';
import { type Destination, type Spent, spent, type Withdrawal, withdrawals } from './stored.ts';

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const ALL = 'all';

export interface Wanted extends Destination {
  readonly id: string;
  readonly agent: string;
  readonly kind: Withdrawal['kind'];
  readonly amount: bigint;
  readonly source?: string;
}

/** The documents that a reservation reads, for transactions that declare them. */
export function readsOf(agent: string) {
  return [spent.ref(agent), spent.ref(ALL)] as const;
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
  const counted = countable(tx, config, agent, amount);
  books.post(tx, {
    kind: 'reserve',
    ref: id,
    lines: sides({ debit: available(agent), credit: reserved(agent) }, amount),
  });
  for (const { ref, hours } of counted) tx.put(ref, { hours });
  const { fee, provider } = chain === SOLANA ? { fee: 0n, provider: 0n } : platformFee(amount);
  const withdrawal: Withdrawal = {
    ...{ id, agent, kind, chain, address, amount: amount.toString() },
    ...(source !== undefined && { source }),
    ...{ platformFee: fee.toString(), providerFee: provider.toString() },
    ...{ state: 'reserved', created: tx.now, changed: tx.now, due: tx.now, waits: 0 },
  };
  tx.put(withdrawals.ref(id), withdrawal);
  return withdrawal;
}

/** The room under the caps comes back with the amount. */
export function uncount(tx: Tx, { agent, amount, created }: Withdrawal): void {
  const refs = readsOf(agent);
  const from = created - (created % HOUR_MS);
  for (const [index, found] of tx.pull(refs).entries()) {
    const hours = (found?.hours ?? []).map((hour) =>
      hour.from === from ? { from, minor: most(0n, BigInt(hour.minor) - BigInt(amount)).toString() } : hour,
    );
    tx.put(refs[index]!, { hours });
  }
}

function countable(tx: Tx, config: BillingConfig, agent: string, amount: bigint) {
  const once = minorOf(config.maxWithdrawal);
  if (amount > once) throw refusal('maxWithdrawal', once, 0n, amount);
  const refs = readsOf(agent);
  const days = tx
    .pull(refs)
    .map((found) => (found?.hours ?? []).filter(({ from }) => from > tx.now - DAY_MS - HOUR_MS));
  const [own, all] = days.map((hours) => hours.reduce((sum, { minor }) => sum + BigInt(minor), 0n)) as [bigint, bigint];
  const day = minorOf(config.maxPerDay);
  const share = (most(0n, day - most(0n, all - own)) * BigInt(config.maxShareOfDay)) / 100n;
  const caps = [
    ['maxPerAgentPerDay', minorOf(config.maxPerAgentPerDay), own],
    ['maxPerDay', day, all],
    ['maxShareOfDay', share, own],
  ] as const;
  for (const [cap, limit, used] of caps) if (used + amount > limit) throw refusal(cap, limit, used, amount);
  return days.map((hours, index) => ({
    ref: refs[index]!,
    hours: added(hours, tx.now - (tx.now % HOUR_MS), amount),
  }));
}

function added(hours: Spent['hours'], from: number, amount: bigint): Spent['hours'] {
  const before = BigInt(hours.find((hour) => hour.from === from)?.minor ?? 0);
  const others = hours.filter((hour) => hour.from !== from);
  return [...others, { from, minor: (before + amount).toString() }].slice(-26);
}

function refusal(cap: keyof BillingConfig, limit: bigint, used: bigint, needed: bigint): MeshError {
  const detail = `plugins.billing.${cap} allows ${formatUsdc(limit)} USDC: ${formatUsdc(used)} are used, and this is ${formatUsdc(needed)}; nothing was sent.`;
  const extra = { cap: `plugins.billing.${cap}`, limit_usdc: formatUsdc(limit), used_usdc: formatUsdc(used) };
  return new MeshError('withdrawal_cap', { detail, extra });
}

function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
