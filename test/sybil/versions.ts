import { modelled } from './model.ts';
import type { Deal, World } from './world.ts';

/** The numbers of everybody, by the number of the person. */
export interface Scores {
  readonly score: readonly number[];
  /** The order of lists: doubt is taken off. */
  readonly rank: readonly number[];
}

/** A formula that makes scores of an economy; the attacks are played against each. */
export interface Version {
  readonly name: string;
  readonly of: (world: World) => Scores;
}

const HALF_LIFE = 90;
const PRIOR = 5;
const SPREAD = 64;

const score2 = (world: World): Scores => {
  const { of } = modelled(world);
  return { score: of.map(({ score }) => score), rank: of.map(({ rank }) => rank) };
};

/** The mean of all ratings. */
function mean(world: World): Scores {
  const [sum, count] = [world.people.map(() => 0), world.people.map(() => 0)];
  const rate = (target: number, value: number | null) => {
    if (value === null) return;
    sum[target]! += value;
    count[target]! += 1;
  };
  for (const { payer, worker, praise, answer } of world.deals.filter(isDeal)) {
    rate(worker, praise);
    rate(payer, answer);
  }
  const score = sum.map((total, id) => (count[id]! > 0 ? total / count[id]! : 0));
  return { score, rank: score.map((value, id) => value - SPREAD / Math.sqrt(1 + count[id]!)) };
}

interface Opinion {
  sum: number;
  weight: number;
  top: number;
  at: number;
}

/** The formula before: each rater's latest mean, weighed by the rater's own score and by what it paid net. */
function score1(world: World): Scores {
  const all = world.people.map((): Opinion => ({ sum: 0, weight: 0, top: 0, at: 0 }));
  const active = world.people.map(() => 0);
  const opinions = new Map<string, Opinion>();
  const flow = new Map<string, number>();
  const clusterOf = (id: number) => world.belongs.get(id) ?? world.hosts.get(id) ?? String(id);
  const faded = (opinion: Opinion, at: number) => {
    const left = 2 ** (-Math.max(0, at - opinion.at) / HALF_LIFE);
    opinion.sum *= left;
    opinion.weight *= left;
    opinion.top *= left;
    opinion.at = Math.max(at, opinion.at);
    return opinion;
  };
  const rate = (from: number, to: number, value: number | null, at: number, net: number) => {
    const cluster = clusterOf(from);
    if (value === null || cluster === clusterOf(to)) return;
    const rater = faded(all[from]!, at);
    const believed = 0.25 + (0.75 * Math.max(0, rater.sum / (PRIOR + rater.weight))) / 100;
    const weight = (1 + (net > 0 ? Math.min(3, Math.log2(1 + net / 10)) : 0)) * believed;
    const name = `${cluster}>${to}`;
    const opinion = faded(opinions.get(name) ?? { sum: 0, weight: 0, top: 0, at }, at);
    opinions.set(name, opinion);
    const target = faded(all[to]!, at);
    if (opinion.weight > 0) {
      target.sum -= (opinion.top * opinion.sum) / opinion.weight;
      target.weight -= opinion.top;
    }
    opinion.sum += weight * value;
    opinion.weight += weight;
    opinion.top = Math.max(opinion.top, weight);
    target.sum += (opinion.top * opinion.sum) / opinion.weight;
    target.weight += opinion.top;
    active[to] = Math.max(active[to]!, at);
  };
  for (const { epoch, payer, worker, usdc, released, praise, answer } of inOrder(world)) {
    const [forth, back] = [`${clusterOf(payer)}>${clusterOf(worker)}`, `${clusterOf(worker)}>${clusterOf(payer)}`];
    if (released) flow.set(forth, (flow.get(forth) ?? 0) + usdc);
    const net = (flow.get(forth) ?? 0) - (flow.get(back) ?? 0);
    rate(payer, worker, praise, epoch, net);
    rate(worker, payer, answer, epoch, net);
  }
  const score = all.map((one, id) => {
    const { sum, weight } = faded(one, world.now);
    const idle = Math.max(0, world.now - active[id]! - 6);
    return (sum > 0 ? sum * 0.95 ** idle : sum) / (PRIOR + weight);
  });
  return { score, rank: score.map((value, id) => value - SPREAD / Math.sqrt(PRIOR + all[id]!.weight)) };
}

/** That of the product, and two that it is compared with. */
export const VERSIONS: readonly Version[] = [
  { name: 'score 2', of: score2 },
  { name: 'score 1', of: score1 },
  { name: 'mean', of: mean },
];

function inOrder({ deals }: World): Deal[] {
  return deals.filter(isDeal).sort((one, other) => one.epoch - other.epoch);
}

function isDeal({ trick }: Deal): boolean {
  return trick === undefined;
}
