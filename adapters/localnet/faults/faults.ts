import type { FaultPlan, FaultRule } from './plan.ts';

const LOG_BYTES = 10_000;

/**
 * The faults of one view of a localnet, switched while it runs:
 *
 *     net.faults.set({ lag: { getAccountInfo: 8 }, rules: [{ method: 'sendTransaction', fault: 'preflight', times: 1 }] });
 *     net.faults.change({ logBytes: 400 });
 *     net.faults.clear();
 *
 * Where a rule has a chance, the seed decides by the rule's place and by how often it fitted, so that other calls in
 * between change nothing.
 */
export class Faults {
  #plan: FaultPlan = {};
  #seed = 1;
  #fits: number[] = [];
  #played: number[] = [];
  readonly #counts = new Map<string, number>();

  /** Replaces everything; counting for `skip` and `times` begins anew. */
  set(plan: FaultPlan, seed: number = this.#seed): void {
    this.#plan = plan;
    this.#seed = seed;
    this.#fits = [];
    this.#played = [];
  }

  /** Replaces the given members only. */
  change(part: FaultPlan): void {
    if (part.rules) this.set({ ...this.#plan, ...part });
    else this.#plan = { ...this.#plan, ...part };
  }

  clear(): void {
    this.set({});
  }

  get plan(): FaultPlan {
    return this.#plan;
  }

  /** How often each fault was played, as `method fault`. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  get logBytes(): number {
    return this.#plan.logBytes ?? LOG_BYTES;
  }

  lagOf(method: string): number {
    return slotsOf(this.#plan.lag, method);
  }

  latenessOf(method: string): number {
    return slotsOf(this.#plan.late, method);
  }

  /** The rule that this call is to suffer from. */
  next(method: string): FaultRule | undefined {
    return this.#plan.rules?.find((rule, index) => {
      if (!isOf(rule, method)) return false;
      const { skip = 0, times = Number.POSITIVE_INFINITY, chance = 1 } = rule;
      const played = this.#played[index] ?? 0;
      const fits = (this.#fits[index] ?? 0) + 1;
      this.#fits[index] = fits;
      if (fits <= skip || played >= times || drawn(this.#seed, index, fits) >= chance) return false;
      this.#played[index] = played + 1;
      const name = `${method} ${rule.fault}`;
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      return true;
    });
  }
}

/** Whether the call of a rule is made at all. */
export function isLostOnTheWay({ fault, lost, status }: FaultRule): boolean {
  return lost === 'request' || (fault === 'status' && status === 429);
}

function isOf({ method }: FaultRule, called: string): boolean {
  return method === '*' || (typeof method === 'string' ? method === called : method.includes(called));
}

function slotsOf(slots: FaultPlan['lag'], method: string): number {
  if (slots === undefined || typeof slots === 'number') return slots ?? 0;
  return (Object.hasOwn(slots, method) ? slots[method] : slots['*']) ?? 0;
}

/** From 0 to 1, the same for the same three numbers. */
function drawn(seed: number, rule: number, count: number): number {
  let mixed = (seed ^ Math.imul(rule + 1, 0x9e3779b1) ^ Math.imul(count, 0x85ebca6b)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}
