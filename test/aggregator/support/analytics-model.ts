import type { StoredActivity } from '../../../core/aggregator/store/logs.ts';
import { activityOf, agentIds, type Happening, paidFacts } from './analytics-history.ts';

const DAY = 86_400_000;
const THRESHOLDS = { ht: [2, 0.35], hb: [1.5, 0.2], hs: [1.5, 0.3], hv: [1, 0.15] } as const;
type Name = keyof typeof THRESHOLDS;

export interface ModelVector {
  readonly epoch: number;
  readonly bits: Readonly<Record<Name, number | null>>;
  readonly samples: Readonly<Record<Name, number>>;
  readonly anomaly: number;
  readonly partners: readonly string[];
}

/** docs/analytics.md written down naively: everything is computed from the whole history at once. */
export class AnalyticsModel {
  readonly #signed: StoredActivity[] = [];
  readonly #paid: { by: string[]; amount: number; at: number }[] = [];

  take(what: Happening, at: number): void {
    if (what.kind === 'message') this.#signed.push(activityOf(what, at));
    const facts = what.kind === 'paid' ? paidFacts(what) : undefined;
    if (facts?.['to_provider'] !== '0' && what.kind === 'paid')
      this.#paid.push({ by: [facts!['requester']!, facts!['provider']!], amount: what.amount, at });
  }

  /** The vectors of an agent up to an epoch, the oldest first. */
  vectorsOf(agent: string, upTo: number): ModelVector[] {
    const all = [...this.#signed, ...this.#paid].map(({ at }) => Math.floor(at / DAY));
    const epochs = [...new Set(all)].filter((epoch) => epoch <= upTo).sort((one, other) => one - other);
    return epochs.map((epoch) => this.#vector(agent, epoch)).filter(({ count }) => count > 0);
  }

  #vector(agent: string, epoch: number): ModelVector & { readonly count: number } {
    const isOf = ({ at }: { at: number }) => Math.floor(at / DAY) === epoch;
    const signed = this.#signed.filter(isOf).filter(({ event_type }) => event_type !== 'JOIN');
    const own = signed.filter(({ agent_id }) => agent_id === agent);
    const gaps: number[] = [];
    let moments = 0;
    for (const [place, { at }] of own.entries()) {
      const slots = place === 0 ? 1 : Math.floor((at - own[place - 1]!.at) / 400);
      if (slots < 1) continue;
      moments += 1;
      if (place > 0) gaps.push(Math.floor(Math.log2(slots)));
    }
    const partners = signed
      .filter(({ event_type }) => event_type === 'ACCEPT')
      .flatMap(({ agent_id, target_agent_id }) =>
        agent_id === agent ? [target_agent_id] : target_agent_id === agent ? [agent_id] : [],
      );
    const verifiers = signed
      .filter(({ event_type, target_agent_id }) => event_type === 'VERDICT' && target_agent_id === agent)
      .map(({ agent_id }) => agent_id);
    const amounts = this.#paid.filter(isOf).filter(({ by }) => by.includes(agent));
    const samples = { ht: moments, hb: amounts.length, hs: partners.length, hv: verifiers.length };
    const found = {
      ht: entropy(gaps),
      hb: entropy(amounts.map(({ amount }) => Math.floor(Math.log2(amount)))),
      hs: entropy(partners),
      hv: entropy(verifiers),
    };
    const names = Object.keys(found) as Name[];
    const bits = Object.fromEntries(names.map((name) => [name, samples[name] < 4 ? null : found[name]])) as Record<
      Name,
      number | null
    >;
    const anomaly = names.reduce((sum, name) => sum + shortfall(bits, name), 0);
    const count = own.length + amounts.length + partners.length + verifiers.length;
    return { epoch, bits, samples, anomaly: round(anomaly), count, partners: [...new Set(partners as string[])] };
  }

  /** The last vector of each agent with something to judge, not older than seven epochs. */
  present(closed: number): Map<string, ModelVector> {
    const present = new Map<string, ModelVector>();
    for (const agent of agentIds) {
      const last = this.vectorsOf(agent, closed).filter(isMeasured).at(-1);
      if (last && last.epoch > closed - 7) present.set(agent, last);
    }
    return present;
  }
}

/** The groups of flagged agents that behave alike or have one owner, each in the order of ids. */
export function groupsOf(present: ReadonlyMap<string, ModelVector>, ownerOf: ReadonlyMap<string, string>): string[][] {
  const flagged = [...present].filter(([, { anomaly }]) => anomaly > 0.55);
  const isBound = ([one, mine]: (typeof flagged)[number], [other, its]: (typeof flagged)[number]) => {
    if (round(Math.abs(mine.anomaly - its.anomaly)) >= 0.05) return false;
    const owner = ownerOf.get(one);
    if (owner !== undefined && owner === ownerOf.get(other)) return true;
    if (mine.partners.length === 0 || its.partners.length === 0) return false;
    const [here, there] = [new Set([one, ...mine.partners]), new Set([other, ...its.partners])];
    const shared = [...here].filter((name) => there.has(name)).length;
    return shared > Math.min(here.size, there.size) / 2;
  };
  const groups: (typeof flagged)[] = [];
  for (const agent of flagged) {
    const bound = groups.filter((group) => group.some((one) => isBound(one, agent)));
    for (const group of bound) groups.splice(groups.indexOf(group), 1);
    groups.push([...bound.flat(), agent]);
  }
  return groups
    .filter(({ length }) => length > 1)
    .map((group) => group.map(([id]) => id).sort())
    .sort((one, other) => other.length - one.length || (one[0]! < other[0]! ? -1 : 1));
}

export function isMeasured({ bits }: ModelVector): boolean {
  return Object.values(bits).some((value) => value !== null);
}

export function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function shortfall(bits: Readonly<Record<Name, number | null>>, name: Name): number {
  const [threshold, weight] = THRESHOLDS[name];
  const value = bits[name];
  if (value === null) return 0;
  return Math.round((Math.round(100 * weight) * Math.max(0, Math.round(1e6 * (threshold - value)))) / 100) / 1e6;
}

function entropy(things: readonly unknown[]): number {
  const shares = [...new Set(things)].map((thing) => things.filter((one) => one === thing).length / things.length);
  return round(Math.abs(shares.reduce((sum, share) => sum - share * Math.log2(share), 0)));
}
