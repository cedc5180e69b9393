import { keysOf, type Planned, payersOf, seller } from './attacks.ts';
import { inCents, type Person, type Quality, type World } from './world.ts';

/** Work that its customers do not want. */
const POOR = 0.2;
/** USDC that a buyer is given for a word it would not have said. */
const FEE = 1;

/** Real buyers, none of them an anchor, the busiest first. */
function realBuyers({ people, anchors, deals }: World): Person[] {
  const made = new Map<number, number>();
  for (const { payer } of deals) made.set(payer, (made.get(payer) ?? 0) + 1);
  return people
    .filter(({ id, buys, sells, attacks }) => buys && !sells && !attacks && !anchors.has(id))
    .sort((one, other) => (made.get(other.id) ?? 0) - (made.get(one.id) ?? 0) || one.id - other.id);
}

/** Real buyers are given a fee for praise of a key, about nothing or about money that the key hands back unseen. */
export function boughtFeedback(world: World, buyers: number, usdc: number): Planned {
  const [key] = keysOf(world, 1) as [number];
  const some = realBuyers(world).slice(0, buyers);
  for (const { id } of some) world.deal({ payer: id, worker: key, usdc });
  return { keys: [key], lost: FEE * some.length, float: usdc };
}

/** Bad work under keys that begin anew at another host every life; the keys of a life pay each other with money that comes back. */
export function newHosts(world: World, count: number, life: number): Planned {
  const { keys } = seller(world, count, () => POOR, life);
  for (const id of keys) world.hosts.set(id, `host of life ${world.people[id]!.joined}`);
  const last = Math.max(...keys.map((id) => world.people[id]!.joined));
  const fresh = keys.filter((id) => world.people[id]!.joined === last);
  for (const payer of fresh)
    for (const worker of fresh) if (payer !== worker) world.deal({ payer, worker, usdc: 40, fake: true });
  return { keys, lost: 0, float: 40 };
}

/** One ring of payers and bosses, each key at a host of its own, so that no host shows what belongs together. */
export function manyHosts(world: World, payers: number, usdc: number): Planned {
  const keys = keysOf(world, 2);
  const from = payersOf(world, payers);
  for (const id of [...keys, ...from]) world.hosts.set(id, `host of ${id}`);
  for (const payer of from) for (const worker of keys) world.deal({ payer, worker, usdc });
  return { keys, lost: 0, float: usdc };
}

/** A payer takes a place at the host of an anchor, and pays a boss with money that comes back unseen. */
export function guestOfAnchor(world: World, usdc: number): Planned {
  const keys = keysOf(world, 1);
  const [payer] = payersOf(world, 1) as [number];
  const [anchor] = world.anchors;
  for (const id of [anchor!, payer]) world.hosts.set(id, 'host of an anchor');
  world.deal({ payer, worker: keys[0]!, usdc });
  return { keys, lost: 0, float: usdc };
}

/** Sellers with real customers and middling work, whose own payers praise them all with money that comes back. */
export function mixed(world: World, count: number, payers: number, usdc: number, quality: Quality): Planned {
  const { keys } = seller(world, count, quality);
  for (const payer of payersOf(world, payers))
    for (const worker of keys) world.deal({ payer, worker, usdc: inCents(usdc), fake: true });
  return { keys, lost: 0, float: usdc };
}
