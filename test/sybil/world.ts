import { Dice } from '../money/dice.ts';

/** How large an economy is played, and how long. */
export interface Size {
  readonly epochs: number;
  /** Agents that only sell, only buy, and do both. */
  readonly sellers: number;
  readonly buyers: number;
  readonly both: number;
  /** How many of the buyers are anchors. */
  readonly anchors: number;
  /** Deals that a median buyer makes in an epoch. */
  readonly rate: number;
  /** Keys of a free ring, rounds of money that goes round, deals of an attacker that works. */
  readonly ring: number;
  readonly rounds: number;
}

/** `full` is the economy of the prototype, for the model; the others go through the real ingest. */
export const SIZES = {
  small: { epochs: 6, sellers: 8, buyers: 12, both: 1, anchors: 3, rate: 0.5, ring: 6, rounds: 1 },
  medium: { epochs: 9, sellers: 16, buyers: 26, both: 4, anchors: 4, rate: 0.4, ring: 20, rounds: 2 },
  large: { epochs: 30, sellers: 60, buyers: 100, both: 15, anchors: 6, rate: 0.3, ring: 40, rounds: 10 },
  full: { epochs: 90, sellers: 120, buyers: 200, both: 30, anchors: 12, rate: 0.3, ring: 100, rounds: 50 },
} as const satisfies Record<string, Size>;

/** Of work done at an epoch for so much USDC, from 0 to 1. */
export type Quality = (epoch: number, usdc: number) => number;

export interface Person {
  readonly id: number;
  readonly sells: boolean;
  readonly buys: boolean;
  readonly quality: Quality;
  readonly joined: number;
  readonly attacks: boolean;
  readonly popular: number;
}

/** One deal from the offer to the ratings; without money where `usdc` is 0. */
export interface Deal {
  readonly epoch: number;
  readonly payer: number;
  readonly worker: number;
  readonly usdc: number;
  /** Whether the locked amount was released, and not given back. */
  readonly released: boolean;
  /** What the payer says of the work, and the worker of the payer. */
  readonly praise: number | null;
  readonly answer: number | null;
  /**
   * What is only made to look like a deal. `dust`: the payer locks a millionth of what was agreed, and takes it back when
   * nothing was delivered for it. `alone`: the worker has only made an offer; everything else is signed by the payer.
   */
  readonly trick?: 'dust' | 'alone';
  /** Whether an attacker made it for the sake of the rating, beside work of its own that is real. */
  readonly fake?: true;
}

export interface Spending {
  readonly epoch: number;
  readonly by: number;
  readonly usdc: number;
}

/** Sellers whose work is of this quality or better are those that a ranking shall put first. */
export const GOOD_WORK = 0.5;
/** Of the lives that begin, so many begin at once. */
const FROM_THE_START = 0.7;
const NEVER_BAD: Quality = () => 0.9;

/** An economy as a plan: who there is, and what they do. Nothing happens by it. */
export class World {
  readonly size: Size;
  readonly dice: Dice;
  readonly people: Person[] = [];
  readonly deals: Deal[] = [];
  readonly burns: Spending[] = [];
  readonly stakes: Spending[] = [];
  readonly anchors = new Set<number>();
  /** What the ledger says of who belongs together, and the hosts, by the number of the person. */
  readonly belongs = new Map<number, string>();
  readonly hosts = new Map<number, string>();
  /** The epoch that has come; what is planned for a world whose time has passed happens now. */
  now: number;
  /** Whether its past has been played. */
  past = false;

  constructor(seed: number, size: Size) {
    this.size = size;
    this.dice = new Dice(seed);
    this.now = size.epochs;
  }

  /** Another world with the same past, in which something else can happen. */
  fork(name: string): World {
    const world = new World(0, this.size);
    world.people.push(...this.people);
    world.deals.push(...this.deals);
    world.burns.push(...this.burns);
    world.stakes.push(...this.stakes);
    for (const id of this.anchors) world.anchors.add(id);
    for (const [id, whole] of this.belongs) world.belongs.set(id, whole);
    for (const [id, host] of this.hosts) world.hosts.set(id, host);
    return Object.assign(world, { dice: this.dice.fork(name), now: this.now, past: this.past });
  }

  /** The same without deals that were made for the sake of a rating. */
  honestly(): World {
    const world = this.fork('honestly');
    world.deals.splice(0, Infinity, ...this.deals.filter(({ fake }) => !fake));
    return world;
  }

  /** The same with all amounts so many times as large. */
  scaled(times: number): World {
    const world = this.fork('scaled');
    for (const [place, deal] of world.deals.entries())
      world.deals[place] = { ...deal, usdc: inCents(deal.usdc * times) };
    return world;
  }

  add(person: Partial<Omit<Person, 'id'>>): number {
    const id = this.people.length;
    const usual = { sells: false, buys: false, quality: NEVER_BAD, joined: 0, attacks: false, popular: 1 };
    this.people.push({ ...usual, ...person, id });
    return id;
  }

  deal(deal: Partial<Deal> & Pick<Deal, 'payer' | 'worker' | 'usdc'>): void {
    const usual = { epoch: this.recent(), released: true, praise: 100, answer: 100 };
    this.deals.push({ ...usual, ...deal });
  }

  /** A moment of the last third, in which attacks happen. */
  recent(): number {
    if (this.past) return this.now;
    const third = Math.max(1, Math.floor(this.size.epochs / 3));
    return this.size.epochs - third + this.dice.between(0, Math.max(0, third - 2));
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.dice.fraction())) * Math.cos(2 * Math.PI * this.dice.fraction());
  }

  lognormal(median: number, spread: number): number {
    return median * Math.exp(spread * this.normal());
  }

  /** What an honest buyer says of work, and whether it was paid for it. */
  honestDeal(epoch: number, payer: number, worker: Person, usdc: number): number {
    const praise = Math.max(
      -100,
      Math.min(100, Math.round(200 * worker.quality(epoch, usdc) - 100 + 18 * this.normal())),
    );
    const refunded = praise < -20 && this.dice.chance(0.5);
    this.deal({
      ...{ epoch, payer, worker: worker.id, usdc: inCents(usdc), released: !refunded },
      praise: this.dice.chance(0.85) ? praise : null,
      answer: this.dice.chance(0.6) ? 80 : null,
    });
    return praise;
  }

  /** Sellers whose work is worth its money, from the beginning on. */
  goodSellers(): Person[] {
    return this.people.filter((one) => one.sells && !one.attacks && one.joined === 0 && one.quality(0, 0) > 0.6);
  }
}

/** An honest economy: sellers of a quality each, buyers with favourites, heavy-tailed amounts, some deals for nothing. */
export function honestWorld(seed: number, size: Size): World {
  const world = new World(seed, size);
  const { dice } = world;
  const joined = () =>
    dice.chance(FROM_THE_START) ? 0 : dice.between(0, Math.max(0, Math.floor(size.epochs * 0.85) - 1));
  const seller = () => {
    const quality = dice.chance(0.12) ? 0.15 + 0.25 * dice.fraction() : Math.min(0.99, 0.7 + 0.29 * dice.fraction());
    return { sells: true, quality: () => quality, popular: world.lognormal(1, 1) };
  };
  for (let n = 0; n < size.sellers; n++) world.add({ ...seller(), joined: joined() });
  for (let n = 0; n < size.both; n++) world.add({ ...seller(), buys: true, joined: joined() });
  for (let n = 0; n < size.buyers; n++) world.add({ buys: true, joined: joined() });
  trade(world);
  const buyers = world.people.filter((one) => one.buys && !one.sells);
  for (let n = 0; n < size.anchors; n++) world.anchors.add(buyers[Math.floor((n * buyers.length) / size.anchors)]!.id);
  return world;
}

/** A buyer comes back to what it liked, else takes a popular or any seller. */
function trade(world: World): void {
  const { dice, size } = world;
  const sellers = world.people.filter((one) => one.sells);
  for (const buyer of world.people.filter((one) => one.buys)) {
    const rate = world.lognormal(size.rate, 0.7);
    const usual = world.lognormal(8, 0.9);
    const liked: Person[] = [];
    for (let epoch = buyer.joined; epoch < size.epochs; epoch++) {
      if (dice.fraction() > rate) continue;
      const open = sellers.filter(({ joined, id }) => joined <= epoch && id !== buyer.id);
      if (open.length === 0) continue;
      const worker = liked.length > 0 && dice.chance(0.6) ? dice.of(liked) : chosen(dice, open);
      const usdc = dice.chance(0.2) ? 0 : Math.max(0.5, world.lognormal(usual, 0.6));
      if (world.honestDeal(epoch, buyer.id, worker, usdc) > 40) liked.push(worker);
    }
  }
}

function chosen(dice: Dice, sellers: readonly Person[]): Person {
  if (dice.chance(0.3)) return dice.of(sellers);
  return Array.from({ length: 4 }, () => dice.of(sellers)).reduce((best, one) =>
    one.popular > best.popular ? one : best,
  );
}

export function inCents(usdc: number): number {
  return Math.round(usdc * 100) / 100;
}
