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
  /** Of 24 hours, for agents without standing: the one part that keys made by the thousand can have. */
  readonly perDayNew: bigint;
}

/** An amount that is put aside for one probe. */
export interface Share {
  readonly conversation: string;
  readonly agent: string;
  readonly amount: bigint;
  /** Whether the agent is hired without standing. */
  readonly fresh: boolean;
}

/** The documents that `putAside` and `giveBack` read. */
export function budgetsOf(agent: string): Ref<StoredBudget>[] {
  return [dayBudget, agentBudget(agent)];
}

/** Counts an amount in both budgets, or throws `probe_budget` and counts it in none. Runs in the transaction that records its probe. */
export function putAside(tx: Tx, share: Share, limits: Limits): void {
  const { perDay, perAgent } = limits;
  const { conversation, agent, amount, fresh } = share;
  const entry = { at: tx.now, of: conversation, amount: amount.toString(), ...(fresh && { fresh }) };
  requireDay(tx.get(dayBudget), amount, perDay, tx.now);
  if (fresh) requireNew(tx.get(dayBudget), amount, limits, tx.now);
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

/** Throws `probe_budget` when what agents without standing may have of 24 hours has not as much left. */
export function requireNew(budget: StoredBudget | undefined, amount: bigint, limits: Limits, now: number): void {
  const rest = leftForNew(budget, limits, now);
  if (rest < amount) throw refusal('newPart', 'of 24 hours for agents without standing', rest, amount);
}

/** Minor units that agents without standing may still be paid in these 24 hours. */
export function leftForNew(budget: StoredBudget | undefined, { perDayNew }: Limits, now: number): bigint {
  return left({ spent: recent(budget, now - DAY).spent.filter(({ fresh }) => fresh) }, perDayNew);
}

/** Whether an agent was hired without standing in the last 30 days: what a probe paid it gives it none with the probe. */
export function cameNew(budget: StoredBudget | undefined, now: number): boolean {
  return recent(budget, now - MONTH).spent.some(({ fresh }) => fresh);
}

/** Frees what was put aside for a probe that certainly cost nothing. */
export function giveBack(tx: Tx, { conversation, agent }: Pick<Share, 'conversation' | 'agent'>): void {
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
