import { IngestedWorld } from './ingested.ts';
import { type Known, type Measured, measured } from './measures.ts';
import { modelled } from './model.ts';
import { type Play, playsOf } from './plays.ts';
import { type Standing, type Standings, UNKNOWN } from './standings.ts';
import { honestWorld, type Size, type World } from './world.ts';

export interface PlayOptions {
  readonly seed: number;
  readonly size: Size;
  /** The people at whom trust begins; the world's anchors unless given. */
  readonly anchors?: (world: World) => Iterable<number>;
  /** Whether a play through the ingest is settled in memory. */
  readonly fast?: boolean;
  readonly onRow?: (row: Row) => void;
}

/** What one attack took, what it won, and which goals it broke. */
export interface Row extends Measured {
  readonly attack: string;
  readonly lost: number;
  readonly float: number;
  readonly goals: readonly string[];
  readonly broken: readonly string[];
}

export interface Outcome {
  readonly seed: number;
  readonly rows: readonly Row[];
  readonly deals: number;
  readonly yardstick: number;
  /** Of a play through the ingest: reports, steps on the ledger, and where its scores are not what the model says. */
  readonly reports?: number;
  readonly steps?: number;
  readonly unlike?: readonly string[];
}

/** Every attack in a world of its own, scored by the product's functions over the sums that an ingest comes to. */
export function playModel({ seed, size, anchors, onRow }: PlayOptions): Outcome {
  const honest = honestWorld(seed, size);
  const scored = (world: World) => modelled(world, anchors ? anchors(world) : world.anchors);
  const before = scored(honest);
  const rows = playsOf(honest).map((play) => {
    const world = honest.fork(play.name);
    const planned = play.attack(world);
    return told(
      rowOf(play, world, planned, {
        before: padded(before, world),
        after: scored(world),
        unaided: scored(world.honestly()),
      }),
      onRow,
    );
  });
  return { seed, rows, deals: honest.deals.length, yardstick: before.yardstick };
}

/**
 * All attacks in one world, through the real ingest of a real aggregator and a real ledger: those that take time among the
 * honest traffic, then one after the other. After each of them everybody's score is compared with the model's.
 */
export async function playIngest({ seed, size, anchors, fast = false, onRow }: PlayOptions): Promise<Outcome> {
  const world = honestWorld(seed, size);
  const plays = playsOf(world);
  const slow = plays.filter(({ slowly }) => slowly).map((play) => ({ play, planned: play.attack(world) }));
  const trusted = anchors ? [...anchors(world)] : [...world.anchors];
  const court = await IngestedWorld.open(world, seed, trusted, fast);
  try {
    const unlike: string[] = [];
    for (world.now = 0; world.now < size.epochs; world.now++) {
      await court.happen(world.deals.filter(({ epoch }) => epoch === world.now));
      await court.pass();
    }
    world.past = true;
    let before = await compared('the past');
    const { yardstick } = before;
    const rows = slow.map(({ play, planned }) => {
      // Of what never was a deal the model knows nothing, so its scores are those without it.
      const unaided = modelled(world.honestly(), trusted);
      const known = { before: modelled(world, trusted), after: before, unaided };
      return told(rowOf(play, world, planned, known), onRow);
    });
    for (const group of groupsOf(plays.filter(({ slowly }) => !slowly))) {
      const [deals, burns, stakes] = [world.deals.length, world.burns.length, world.stakes.length];
      const plans = group.map((play) => ({ play, planned: play.attack(world) }));
      await court.happen(world.deals.slice(deals), world.burns.slice(burns), world.stakes.slice(stakes));
      const after = await compared(group.at(-1)!.name);
      const known = { before: padded(before, world), after, unaided: modelled(world.honestly(), trusted) };
      for (const { play, planned } of plans) rows.push(told(rowOf(play, world, planned, known), onRow));
      before = after;
    }
    const { reports, steps } = court;
    return { seed, rows, deals: world.deals.length, yardstick, reports, steps, unlike };

    async function compared(when: string): Promise<Standings> {
      const found = await court.standings();
      const expected = modelled(world, trusted);
      for (const [id, one] of found.of.entries())
        if (!isLike(one, expected.of[id]!))
          unlike.push(`after ${when}: ${id} has ${JSON.stringify(one)}, not ${JSON.stringify(expected.of[id])}`);
      return found;
    }
  } finally {
    await court.close();
  }
}

export function failed({ rows, unlike = [] }: Outcome): boolean {
  return unlike.length > 0 || rows.some(({ broken }) => broken.length > 0);
}

function groupsOf(plays: readonly Play[]): Play[][] {
  const groups: Play[][] = [];
  for (const play of plays)
    if (play.together && groups.length > 0) groups.at(-1)!.push(play);
    else groups.push([play]);
  return groups;
}

function rowOf({ name, goals }: Play, world: World, planned: ReturnType<Play['attack']>, known: Known): Row {
  const found = measured(world, planned, known);
  const broken = goals.filter((goal) => !goal.holds(found)).map(({ says }) => says);
  return {
    attack: name,
    lost: planned.lost,
    float: planned.float,
    ...found,
    goals: goals.map(({ says }) => says),
    broken,
  };
}

function told(row: Row, tell: PlayOptions['onRow']): Row {
  tell?.(row);
  return row;
}

/** Whoever came later was unknown before. */
function padded({ of, yardstick }: Standings, { people }: World): Standings {
  return { yardstick, of: people.map((_, id) => of[id] ?? UNKNOWN) };
}

/**
 * Sums that were added in another order differ in their last bits, which can move a rounded number by one step. What is
 * grounded is shown as of the last change of the score.
 */
function isLike(one: Standing, other: Standing): boolean {
  return Math.abs(one.score - other.score) <= 1 && Math.abs(one.rank - other.rank) < 0.015;
}
