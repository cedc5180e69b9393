import { sayingsOf } from '../../core/aggregator/ingest/effects/sayings.ts';
import { type AgentFacts, ScoreBook } from '../../core/protocol/reputation/book.ts';
import { shownOf } from '../../core/protocol/reputation/formula.ts';
import {
  DONE_NOTHING,
  newPair,
  type PairSums,
  withDeed,
  withPayment,
  withSaying,
} from '../../core/protocol/reputation/sums.ts';
import type { Standings } from './standings.ts';
import { type Deal, inCents, type World } from './world.ts';

const MINOR_UNITS = 1e6;

const NAME_DIGITS = 8;
const names: string[] = [];

/** The name of somebody in the book, in the order of the numbers. */
export function nameOf(id: number): string {
  names[id] ??= String(id).padStart(NAME_DIGITS, '0');
  return names[id];
}

/**
 * The book of a world: the sums that an ingest of it comes to, scored by the product's own function. It is what the real
 * ingest is compared with, and it plays in milliseconds what takes that minutes.
 */
export function modelled(world: World, anchors: Iterable<number> = world.anchors): Standings {
  const book = new ScoreBook();
  for (const facts of agentsOf(world)) book.setAgent(facts);
  for (const pair of pairsOf(world.deals)) book.setPair(pair);
  const yardstick = book.run(world.now, Array.from(anchors, nameOf));
  return {
    yardstick,
    of: world.people.map((_, place) => {
      const { scored, idleFactor, evidence } = book.standingAt(place);
      return { ...shownOf(scored, idleFactor), grounded: evidence.mass };
    }),
  };
}

export function* agentsOf({ people, deals, burns, stakes, belongs, hosts }: World): Generator<AgentFacts> {
  const active = new Map<number, number>();
  const acted = (id: number, epoch: number) => active.set(id, Math.max(active.get(id) ?? 0, epoch));
  for (const { payer, worker, epoch } of deals) for (const id of [payer, worker]) acted(id, epoch);
  for (const { id } of people) {
    const staked = stakes.filter(({ by }) => by === id).reduce((sum, { usdc }) => sum + usdc, 0);
    const deeds = burns
      .filter(({ by }) => by === id)
      .reduce((sums, { usdc, epoch }) => withDeed(sums, { burnt: usdc }, epoch, epoch), DONE_NOTHING);
    const known = { id: nameOf(id), staked: String(Math.round(staked * MINOR_UNITS)), key_changes: 0 };
    const whole = belongs.get(id);
    const facts = { ...deeds, ...known, active: active.get(id) ?? 0, host: hosts.get(id) };
    yield { ...facts, belongs: whole === undefined ? [] : [whole] };
  }
}

export function pairsOf(deals: readonly Deal[]): Iterable<PairSums> {
  const pairs = new Map<number, PairSums>();
  const change = (from: number, to: number, epoch: number, by: (pair: PairSums) => PairSums) => {
    const pair = from * 10 ** NAME_DIGITS + to;
    pairs.set(pair, by(pairs.get(pair) ?? newPair(nameOf(from), nameOf(to), epoch, 0)));
  };
  for (const { payer, worker, usdc, released, praise, answer, epoch, trick } of deals) {
    if (trick) continue;
    const amount = BigInt(Math.round(inCents(usdc) * MINOR_UNITS));
    const sides = { requester: nameOf(payer), provider: nameOf(worker) };
    const settled =
      amount > 0n ? { ...sides, released: released ? amount : 0n, returned: released ? 0n : amount } : undefined;
    if (settled && released) change(payer, worker, epoch, (pair) => withPayment(pair, amount));
    const say = (from: number, to: number, value: number | null) => {
      if (value === null) return;
      const rated = { rater: nameOf(from), target: nameOf(to), value, epoch };
      for (const saying of sayingsOf(rated, settled))
        change(from, to, epoch, (pair) => withSaying(pair, saying, Math.max(pair.epoch, epoch), 0));
    };
    say(payer, worker, praise);
    say(worker, payer, answer);
  }
  return pairs.values();
}
