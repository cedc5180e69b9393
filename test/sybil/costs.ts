import { ScoreBook } from '../../core/protocol/reputation/book.ts';
import { shownOf } from '../../core/protocol/reputation/formula.ts';
import { DONE_NOTHING, newPair } from '../../core/protocol/reputation/sums.ts';
import { agentsOf, modelled, nameOf, pairsOf } from './model.ts';
import { type Deal, inCents, type World } from './world.ts';

/** The attacker's choices: who pays, for whom, how much more than what was spent outside, and at how many sellers. */
const PLANS = [2, 5, 16].flatMap((payers) =>
  [2, 4].flatMap((bosses) => [1, 10].flatMap((times) => [4, 15].map((stores) => ({ payers, bosses, times, stores })))),
);
type Plan = (typeof PLANS)[number];

const TOP = 20;
const NOBODY = { staked: '0', key_changes: 0, belongs: [] };
const RICH = 1e6;
/** Halvings of the interval: some 2 % of the cost. */
const STEPS = 9;

/** What a place among the first twenty costs who buys its ground by trade with the best connected sellers. */
export interface PlaceCost {
  readonly usdc: number;
  /** What the first twenty have earned net, in the mean. */
  readonly earned: number;
}

export function placeCost(world: World): PlaceCost {
  const court = new Court(world);
  const order = court.order();
  const earned = order.slice(0, TOP).reduce((sum, id) => sum + court.earned(id), 0) / TOP;
  const stores = world
    .goodSellers()
    .map(({ id }) => id)
    .sort((one, other) => court.share(other) - court.share(one));
  let best = RICH;
  for (const plan of PLANS) {
    const wins = (usdc: number) => court.wins(plan, stores, usdc);
    if (!wins(best * 0.95)) continue;
    let [low, high] = [0.1, best];
    for (let step = 0; step < STEPS; step++) {
      const middle = Math.sqrt(low * high);
      if (wins(middle)) high = middle;
      else low = middle;
    }
    best = high;
  }
  return { usdc: best, earned };
}

/** The book of a world, in which one ring after the other is tried. */
class Court {
  readonly #world: World;
  readonly #book = new ScoreBook();
  readonly #income: ReadonlyMap<number, number>;
  readonly #grounded: readonly number[];
  #tried: readonly Deal[] = [];

  constructor(world: World) {
    this.#world = world;
    for (const facts of agentsOf(world)) this.#book.setAgent(facts);
    for (const pair of pairsOf(world.deals)) this.#book.setPair(pair);
    this.#grounded = modelled(world).of.map(({ grounded }) => grounded);
    const income = new Map<number, number>();
    const flows = new Map<string, number>();
    for (const { payer, worker, usdc, released } of world.deals)
      if (released) flows.set(`${payer} ${worker}`, (flows.get(`${payer} ${worker}`) ?? 0) + usdc);
    for (const [name, usdc] of flows) {
      const [payer, worker] = name.split(' ').map(Number) as [number, number];
      const net = Math.max(0, usdc - (flows.get(`${worker} ${payer}`) ?? 0));
      income.set(worker, (income.get(worker) ?? 0) + net);
    }
    this.#income = income;
  }

  earned(id: number): number {
    return this.#income.get(id) ?? 0;
  }

  /** How much of what a seller earns is grounded: so well it vouches. */
  share(id: number): number {
    return this.earned(id) > 0 ? this.#grounded[id]! / this.earned(id) : 0;
  }

  /** The sellers, the best first; of equals the attacker's. */
  order(): number[] {
    const { people, now, anchors } = this.#world;
    this.#book.run(now, Array.from(anchors, nameOf));
    const places = new Map(this.#book.names.map((name, place) => [name, place]));
    const ring = [...new Set(this.#tried.map(({ worker }) => worker))].filter((id) => id >= people.length);
    const rank = (id: number) => {
      const { scored, idleFactor } = this.#book.standingAt(places.get(nameOf(id))!);
      return shownOf(scored, idleFactor).rank;
    };
    const all = [...ring, ...people.filter(({ sells }) => sells).map(({ id }) => id)];
    const ranks = new Map(all.map((id) => [id, rank(id)]));
    return all.sort((one, other) => ranks.get(other)! - ranks.get(one)!);
  }

  wins(plan: Plan, stores: readonly number[], usdc: number): boolean {
    this.#try(ringOf(this.#world, plan, stores, usdc));
    return this.order()
      .slice(0, TOP)
      .some((id) => id >= this.#world.people.length);
  }

  /** The ring before has never been. */
  #try(deals: readonly Deal[]): void {
    for (const { payer, worker } of this.#tried)
      for (const [from, to] of [
        [payer, worker],
        [worker, payer],
      ] as const)
        this.#book.setPair(newPair(nameOf(from), nameOf(to), this.#world.now, 0));
    for (const pair of pairsOf(deals)) this.#book.setPair(pair);
    const { people, now } = this.#world;
    for (const id of new Set(deals.flatMap(({ payer, worker }) => [payer, worker])))
      if (id >= people.length) this.#book.setAgent({ ...DONE_NOTHING, ...NOBODY, id: nameOf(id), active: now });
    this.#tried = deals;
  }
}

function ringOf({ people, now }: World, plan: Plan, sellers: readonly number[], usdc: number): Deal[] {
  const { payers, bosses, times, stores } = plan;
  const deal = (payer: number, worker: number, amount: number, answer: number): Deal => ({
    ...{ epoch: now, payer, worker, usdc: inCents(amount), released: true, praise: 100, answer },
  });
  const [first, next] = [people.length, people.length + bosses];
  return Array.from({ length: payers }, (_, n) => next + n).flatMap((payer) => [
    ...sellers.slice(0, stores).map((worker) => deal(payer, worker, usdc / payers / stores, 80)),
    ...Array.from({ length: bosses }, (_, n) => deal(payer, first + n, (times * usdc) / payers, 100)),
  ]);
}
