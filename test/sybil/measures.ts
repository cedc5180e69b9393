import type { Planned } from './attacks.ts';
import type { Standings } from './standings.ts';
import { type Deal, GOOD_WORK, type Person, type World } from './world.ts';

/** What an attack has come to. */
export interface Measured {
  /** How often a good honest seller ranks above an attacker's key, a tie being half of it; 1 is always. */
  readonly auc: number;
  /** Honest sellers with a praised deal that was paid with the payer's own money, and no bad word, whom a key outranks. */
  readonly outranked: number;
  /** Those of them who have a grounded USDC behind them. */
  readonly outrankedGrounded: number;
  /** The attacker's best score, and the place among all sellers of its best key; 0 without keys. */
  readonly best: number;
  readonly place: number;
  /** Points that its best key has by deals for the sake of the rating, beside real ones. */
  readonly lift: number;
  /** Keys among the first twenty sellers. */
  readonly top20: number;
  /** Points that the worst hit victim has lost. */
  readonly drop: number;
  /** Grounded USDC behind all keys together. */
  readonly grounded: number;
}

export interface Known {
  readonly before: Standings;
  readonly after: Standings;
  /** The same without what was faked. */
  readonly unaided: Standings;
}

export function measured(world: World, { keys, victims = [] }: Planned, { before, after, unaided }: Known): Measured {
  const rank = (id: number) => after.of[id]!.rank;
  const bad = keys.filter((id) => world.people[id]!.sells);
  const best = Math.max(...bad.map(rank));
  const order = sellersOf(world, new Set(keys)).sort(
    (one, other) => rank(other.id) - rank(one.id) || order_(one, other),
  );
  const places = bad.map((id) => order.findIndex((one) => one.id === id) + 1);
  const below = bad.length === 0 ? [] : fine(world).filter(({ id }) => rank(id) <= best);
  return {
    auc:
      bad.length === 0
        ? 1
        : aucOf(
            goodSellers(world).map(({ id }) => rank(id)),
            bad.map(rank),
          ),
    outranked: below.length,
    outrankedGrounded: below.filter(({ id }) => after.of[id]!.grounded >= 1).length,
    best: bad.length === 0 ? 0 : Math.max(...keys.map((id) => after.of[id]!.score)),
    place: bad.length === 0 ? 0 : Math.min(...places),
    lift: Math.max(0, ...keys.map((id) => after.of[id]!.score - unaided.of[id]!.score)),
    top20: places.filter((place) => place <= 20).length,
    drop: Math.max(0, ...victims.map((id) => before.of[id]!.score - after.of[id]!.score)),
    grounded: bad.reduce((sum, id) => sum + after.of[id]!.grounded, 0),
  };
}

/** The honest sellers and these keys: what other attackers have made in the same world is left out. */
function sellersOf({ people }: World, keys: ReadonlySet<number>): Person[] {
  return people.filter(({ sells, attacks, id }) => sells && (!attacks || keys.has(id)));
}

/** Of equals the attacker comes first, so that nothing is counted in favour of the score. */
function order_(one: Person, other: Person): number {
  return Number(other.attacks) - Number(one.attacks) || one.id - other.id;
}

/** Honest sellers of good work who were paid for it, and rated: of whom nobody has said anything nothing is known. */
export function goodSellers({ people, deals }: World): Person[] {
  const isRated = ({ usdc, released, praise }: Deal) => usdc > 0 && released && praise !== null;
  const paid = new Set(deals.filter(isRated).map(({ worker }) => worker));
  return people.filter((one) => one.sells && !one.attacks && paid.has(one.id) && one.quality(0, 0) >= GOOD_WORK);
}

/** Honest sellers whom nothing that costs nothing may outrank. */
function fine({ people, deals }: World): Person[] {
  const balance = new Map<number, number>();
  const move = (id: number, usdc: number) => balance.set(id, (balance.get(id) ?? 0) + usdc);
  for (const { payer, worker, usdc, released } of deals)
    if (released) {
      move(payer, usdc);
      move(worker, -usdc);
    }
  const praised = new Set<number>();
  const blamed = new Set<number>();
  for (const { payer, worker, usdc, released, praise, answer } of deals) {
    if (praise !== null && praise <= 0) blamed.add(worker);
    if (answer !== null && answer <= 0) blamed.add(payer);
    if (usdc > 0 && released && praise !== null && praise > 0 && balance.get(payer)! > 0) praised.add(worker);
  }
  return people.filter(({ sells, attacks, id }) => sells && !attacks && praised.has(id) && !blamed.has(id));
}

/** How often one of the first is above one of the second, a tie being half of it. */
export function aucOf(good: readonly number[], bad: readonly number[]): number {
  if (good.length === 0 || bad.length === 0) return 1;
  const above = good.map((one) => bad.reduce((sum, other) => sum + (one > other ? 1 : one === other ? 0.5 : 0), 0));
  return above.reduce((sum, count) => sum + count, 0) / (good.length * bad.length);
}

/** How well one order follows another, from -1 to 1. */
export function correlation(one: readonly number[], other: readonly number[]): number {
  const [first, second] = [ranksOf(one), ranksOf(other)];
  const mean = (one.length - 1) / 2;
  let [both, own, its] = [0, 0, 0];
  for (let place = 0; place < one.length; place++) {
    const [a, b] = [first[place]! - mean, second[place]! - mean];
    both += a * b;
    own += a * a;
    its += b * b;
  }
  return both / Math.sqrt(own * its);
}

function ranksOf(values: readonly number[]): number[] {
  const ranks = new Array<number>(values.length);
  for (const [rank, place] of [...values.keys()].sort((a, b) => values[a]! - values[b]!).entries()) ranks[place] = rank;
  return ranks;
}
