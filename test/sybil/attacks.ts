import { inCents, type Person, type Quality, type World } from './world.ts';

/** What an attack takes: USDC that is gone, and USDC that is needed and comes back. */
export interface Cost {
  readonly lost: number;
  readonly float: number;
}

/** What an attacker has planned in a world. */
export interface Planned extends Cost {
  /** The keys that are to win something. */
  readonly keys: readonly number[];
  /** The agents that are to lose something. */
  readonly victims?: readonly number[];
}

export type Attack = (world: World) => Planned;

const FREE = { lost: 0, float: 0 };

/** Keys of an attacker, which sell. */
export function keysOf(world: World, count: number, more: Partial<Person> = {}): number[] {
  const joined = world.recent();
  return Array.from({ length: count }, () =>
    world.add({ attacks: true, sells: true, quality: () => 0, joined, ...more }),
  );
}

/** Keys of an attacker, which pay. */
export function payersOf(world: World, count: number): number[] {
  return keysOf(world, count, { sells: false, buys: true });
}

/** A released deal between attackers; the money comes back where no ledger sees it. */
function wash(world: World, payer: number, worker: number, usdc: number): void {
  world.deal({ payer, worker, usdc: inCents(usdc) });
}

/** Every key praises several others, for deals without money. */
export function freeRing(world: World, count: number, each = count - 1): Planned {
  const keys = keysOf(world, count);
  praiseAround(world, keys, each);
  return { keys, ...FREE };
}

function praiseAround(world: World, keys: readonly number[], each: number): void {
  for (const [place, payer] of keys.entries())
    for (let next = 1; next <= Math.min(each, keys.length - 1); next++)
      world.deal({ payer, worker: keys[(place + next) % keys.length]!, usdc: 0 });
}

/** The same money goes round and round. */
export function circle(
  world: World,
  length: number,
  rounds: number,
  usdc: number,
  keys = keysOf(world, length),
): Planned {
  for (let round = 0; round < rounds; round++)
    for (const [place, payer] of keys.entries()) wash(world, payer, keys[(place + 1) % keys.length]!, usdc);
  return { keys, lost: 0, float: usdc };
}

/** A free ring in which changing fives also let money go round. */
export function cartel(world: World, count: number, rounds: number): Planned {
  const { keys } = freeRing(world, count, 8);
  for (let round = 0; round < rounds; round++)
    circle(
      world,
      5,
      1,
      50,
      Array.from({ length: 5 }, (_, n) => keys[(round + n) % count]!),
    );
  return { keys, lost: 0, float: 50 };
}

/** As many keys as there are honest sellers, or several times as many, with praise and circles of three. */
export function majority(world: World, times: number): Planned {
  const count = Math.round(times * world.people.filter(({ sells }) => sells).length);
  const { keys } = freeRing(world, count, 8);
  for (let from = 0; from + 3 <= count; from += 3) circle(world, 3, 2, 100, keys.slice(from, from + 3));
  return { keys, lost: 0, float: 100 };
}

/** One sum is handed on from key to key. */
export function chain(world: World, length: number, usdc: number): Planned {
  const keys = keysOf(world, length);
  for (let place = 0; place + 1 < length; place++) wash(world, keys[place]!, keys[place + 1]!, usdc);
  return { keys, lost: 0, float: usdc };
}

/** One seller, fresh payers, and a float that comes back unseen after every deal. */
export function selfDealing(world: World, payers: number, deals: number, float: number): Planned {
  const keys = keysOf(world, 1);
  const from = payersOf(world, payers);
  for (let n = 0; n < deals; n++) wash(world, from[n % payers]!, keys[0]!, float);
  return { keys, lost: 0, float };
}

/** A copy of the whole economy, played with one float that comes back unseen. */
export function clone(world: World, times: number, dealsEach: number): Planned {
  const honest = world.people.filter(({ sells, attacks }) => sells && !attacks).length;
  const keys = keysOf(world, Math.round(times * honest));
  for (const payer of payersOf(world, keys.length * 2))
    for (let n = 0; n < dealsEach; n++) wash(world, payer, world.dice.of(keys), 20 * world.dice.fraction() + 5);
  return { keys, lost: 0, float: 25 };
}

/** Payers buy from honest sellers, which is lost, and then point money that comes back at two bosses. */
export function boughtGround(world: World, usdc: number, payers = 4, times = 20): Planned {
  const keys = keysOf(world, 2);
  const sellers = world.goodSellers();
  for (const payer of payersOf(world, payers)) {
    for (let n = 0; n < 5; n++)
      world.deal({ payer, worker: world.dice.of(sellers).id, usdc: inCents(usdc / payers / 5), answer: 80 });
    for (const boss of keys) wash(world, payer, boss, (usdc / payers) * times);
  }
  return { keys, lost: usdc, float: usdc * times };
}

/** The same, but what gives ground is money burnt for leases, or a stake. */
export function bought(world: World, kind: 'burns' | 'stakes', usdc: number, payers = 4): Planned {
  const keys = keysOf(world, 2);
  for (const payer of payersOf(world, payers)) {
    world[kind].push({ epoch: world.recent(), by: payer, usdc: usdc / payers });
    for (const boss of keys) wash(world, payer, boss, usdc * 20);
  }
  return kind === 'burns' ? { keys, lost: usdc, float: usdc * 20 } : { keys, lost: 0, float: usdc * 21 };
}

/** Buyers with honest trade of their own are bribed to pay and praise ten keys. */
export function bridge(world: World, bridges: number, usdc: number): Planned {
  const keys = keysOf(world, 10);
  const honest = ({ id, buys, sells, attacks }: Person) => buys && !sells && !attacks && !world.anchors.has(id);
  for (const { id } of world.people.filter(honest).slice(0, bridges))
    for (const key of keys) wash(world, id, key, usdc);
  return { keys, lost: bridges * usdc, float: usdc };
}

/** Sellers with real customers, whose work is as `quality` says of the time since they began; new keys after each life. */
export function seller(world: World, count: number, quality: Quality, life = world.size.epochs, rate = 0.6): Planned {
  const buyers = world.people.filter(({ buys, attacks }) => buys && !attacks);
  const { dice, size } = world;
  const keys: number[] = [];
  for (let n = 0; n < count; n++)
    for (let born = 0; born < size.epochs; born += life) {
      const [id] = keysOf(world, 1, { joined: born }) as [number];
      keys.push(id);
      const face = { ...world.people[id]!, quality: (epoch: number, usdc: number) => quality(epoch - born, usdc) };
      for (let epoch = born; epoch < Math.min(size.epochs, born + life); epoch++)
        if (dice.chance(rate))
          world.honestDeal(epoch, dice.of(buyers).id, face, dice.chance(0.2) ? 0 : world.lognormal(8, 1));
    }
  return { keys, ...FREE };
}

export type SmearKind = 'free' | 'returned' | 'paid' | 'grounded';

/** Keys speak ill of sellers: for nothing, with money that comes back, with money paid to them, or after honest trade. */
export function smear(world: World, kind: SmearKind, count: number, usdc: number, victims: readonly number[]): Planned {
  const sellers = world.goodSellers().filter(({ id }) => !victims.includes(id));
  let lost = 0;
  for (const victim of victims)
    for (const payer of payersOf(world, count)) {
      if (kind === 'grounded')
        for (let n = 0; n < 5; n++)
          world.deal({ payer, worker: world.dice.of(sellers).id, usdc: inCents(usdc / 5), praise: 90, answer: 80 });
      const released = kind !== 'returned';
      world.deal({ payer, worker: victim, usdc: kind === 'free' ? 0 : usdc, praise: -100, answer: null, released });
      lost += (kind === 'paid' ? usdc : 0) + (kind === 'grounded' ? 2 * usdc : 0);
    }
  return { keys: [], victims, lost, float: kind === 'returned' ? usdc : 0 };
}

/** Keys make sellers look as if they had left deals undelivered, or delivered badly, that were never made like that. */
export function trick(world: World, kind: 'dust' | 'alone', count: number, victims: readonly number[]): Planned {
  for (const victim of victims)
    for (const payer of payersOf(world, count))
      world.deal({
        ...{ payer, worker: victim, usdc: 1.5, released: false, praise: -100, answer: null, trick: kind },
        // Early enough that its time to deliver, and all that was to be waited for, is over in the end.
        epoch: Math.min(world.now, world.size.epochs - 3),
      });
  return { keys: [], victims, ...FREE };
}

/** Sellers that had enough paid deals to have something to lose: the first of them in the order of their work. */
export function worthSmearing(world: World, most: number): number[] {
  const rated = new Map<number, number>();
  for (const { worker, usdc, released, praise } of world.deals)
    if (usdc > 0 && released && praise !== null) rated.set(worker, (rated.get(worker) ?? 0) + 1);
  const known = world.goodSellers().filter(({ id }) => (rated.get(id) ?? 0) >= 5);
  const some =
    known.length > 0 ? known : world.goodSellers().sort((a, b) => (rated.get(b.id) ?? 0) - (rated.get(a.id) ?? 0));
  return some.slice(0, most).map(({ id }) => id);
}

/** An anchor is bribed, or its key is stolen: it pays and praises one key. */
export function corruptAnchor(world: World, usdc: number): Planned {
  const keys = keysOf(world, 1);
  wash(world, [...world.anchors][0]!, keys[0]!, usdc);
  return { keys, lost: 0, float: usdc };
}

/** Top sellers take payments and hand 98 % back unseen: they sell what they vouch for. */
export function kickback(world: World, count: number, usdc: number): Planned {
  const earned = new Map<number, number>();
  for (const { worker, usdc: paid, released } of world.deals)
    if (released) earned.set(worker, (earned.get(worker) ?? 0) + paid);
  const top = world
    .goodSellers()
    .sort((a, b) => (earned.get(b.id) ?? 0) - (earned.get(a.id) ?? 0))
    .slice(0, count);
  const keys = keysOf(world, 2);
  for (const payer of payersOf(world, 5)) {
    for (const { id } of top) world.deal({ payer, worker: id, usdc: inCents(usdc / 5), answer: 80 });
    for (const boss of keys) wash(world, payer, boss, usdc * 5);
  }
  return { keys, lost: 0.02 * usdc * count, float: usdc };
}
