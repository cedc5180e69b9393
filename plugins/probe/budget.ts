import { formatUsdc, MeshError } from '../../core/plugin.ts';
import type { Ref, Tx } from '../../core/services.ts';
import { agentBudget, dayBudget, type StoredBudget } from './stored.ts';

const DAY = 86_400_000;
const MONTH = 30 * DAY;
/** Amounts that a budget holds; the operator can hire faster than `every` says. */
const MOST = 2_000;
const NOTHING: StoredBudget = { spent: [] };

export interface Limits {
  readonly perDay: bigint;
  readonly perAgent: bigint;
}

/** An amount that is put aside for one probe. */
export interface Share {
  readonly conversation: string;
  readonly agent: string;
  readonly amount: bigint;
}

/** The documents that `putAside` and `giveBack` read. */
export function budgetsOf(agent: string): Ref<StoredBudget>[] {
  return [dayBudget, agentBudget(agent)];
}

/** Counts an amount in both budgets, or throws `probe_budget` and counts it in none. Runs in the transaction that records its probe. */
export function putAside(tx: Tx, { conversation, agent, amount }: Share, { perDay, perAgent }: Limits): void {
  const entry = { at: tx.now, of: conversation, amount: amount.toString() };
  requireDay(tx.get(dayBudget), amount, perDay, tx.now);
  const day = recent(tx.get(dayBudget), tx.now - DAY);
  const month = recent(tx.get(agentBudget(agent)), tx.now - MONTH);
  if (left(month, perAgent) < amount)
    throw refusal('maxPerAgent', 'for one agent in 30 days', left(month, perAgent), amount);
  tx.put(dayBudget, { spent: [...day.spent, entry] });
  tx.put(agentBudget(agent), { spent: [...month.spent, entry] }, { ttl: MONTH });
}

/** Throws `probe_budget` when the budget of 24 hours has not as much left. */
export function requireDay(budget: StoredBudget | undefined, amount: bigint, perDay: bigint, now: number): void {
  const rest = left(recent(budget, now - DAY), perDay);
  if (rest < amount) throw refusal('maxPerDay', 'of 24 hours', rest, amount);
}

/** Frees what was put aside for a probe that certainly cost nothing. */
export function giveBack(tx: Tx, { conversation, agent }: Omit<Share, 'amount'>): void {
  for (const ref of budgetsOf(agent)) {
    const { spent } = tx.get(ref) ?? NOTHING;
    const kept = spent.filter(({ of }) => of !== conversation);
    if (kept.length < spent.length) tx.put(ref, { spent: kept }, ref === dayBudget ? {} : { ttl: MONTH });
  }
}

/** Minor units that were put aside in the last 24 hours. */
export function spentToday(budget: StoredBudget | undefined, now: number): bigint {
  return sumOf(recent(budget, now - DAY));
}

/** Minor units that one agent may still be paid. */
export function leftForAgent(budget: StoredBudget | undefined, { perAgent }: Limits, now: number): bigint {
  return left(recent(budget, now - MONTH), perAgent);
}

function recent({ spent }: StoredBudget = NOTHING, since: number): StoredBudget {
  return { spent: spent.filter(({ at }) => at > since) };
}

function left(budget: StoredBudget, limit: bigint): bigint {
  const rest = budget.spent.length < MOST ? limit - sumOf(budget) : 0n;
  return rest > 0n ? rest : 0n;
}

function sumOf({ spent }: StoredBudget): bigint {
  return spent.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

function refusal(limit: string, meant: string, rest: bigint, needed: bigint): MeshError {
  const detail = `plugins.probe.${limit} leaves ${formatUsdc(rest)} USDC ${meant}, and a probe costs ${formatUsdc(needed)}; nobody was hired.`;
  return new MeshError('probe_budget', {
    detail,
    extra: { limit: `plugins.probe.${limit}`, left_usdc: formatUsdc(rest) },
  });
}
