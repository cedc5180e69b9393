import { placeCost } from './costs.ts';
import { correlation } from './measures.ts';
import { modelled } from './model.ts';
import { playModel, type Row } from './play.ts';
import { honestWorld, type Size, type World } from './world.ts';

/** One goal of SCORE.md over many seeds. */
export interface Summary {
  readonly goal: string;
  /** As SCORE.md has it. */
  readonly promised: string;
  readonly worst: number;
  readonly mean: number;
  /** The seed with the worst value. */
  readonly seed: number;
  /** Undefined for what is only told. */
  readonly holds: boolean | undefined;
}

interface Asked {
  readonly goal: string;
  readonly promised: string;
  /** Undefined where it is not asked. */
  readonly of: (found: Found) => number | undefined;
  readonly holds?: (worst: number, mean: number) => boolean;
  /** Whether less is worse. */
  readonly least?: boolean;
}

interface Found {
  readonly seed: number;
  readonly rows: ReadonlyMap<string, Row>;
  readonly place: number;
  /** The share of all payments that anchors make. */
  readonly anchored: number;
  readonly scales: number;
  readonly hosts: number;
  readonly owners: number;
  readonly quality: number;
}

/** Plays the model with each seed, and says of each goal what came out worst. */
export function study(
  seeds: readonly number[],
  size: Size,
  onSeed: (seed: number, broken: readonly Row[]) => void,
): Summary[] {
  const found = seeds.map((seed) => {
    const { rows } = playModel({ seed, size });
    onSeed(
      seed,
      rows.filter(({ broken }) => broken.length > 0),
    );
    return { seed, rows: new Map(rows.map((row) => [row.attack, row])), ...sideEffects(honestWorld(seed, size)) };
  });
  return goalsOf(found[0]!).map(({ goal, promised, of, holds, least }) => {
    const asked = found.filter((one) => of(one) !== undefined);
    const values = asked.map((one) => of(one)!);
    const worst = least ? Math.min(...values) : Math.max(...values);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return { goal, promised, worst, mean, seed: asked[values.indexOf(worst)]?.seed ?? 0, holds: holds?.(worst, mean) };
  });
}

function sideEffects(world: World): Omit<Found, 'seed' | 'rows'> {
  const standings = modelled(world);
  const costs = [1, 2, 4, 8].map((times) => {
    const { usdc, earned } = placeCost(times === 1 ? world : world.scaled(times));
    return usdc / earned;
  });
  const rated = world.people.filter(({ sells, id }) => sells && standings.of[id]!.score !== 0);
  const quality = correlation(
    rated.map(({ id }) => standings.of[id]!.score),
    rated.map((one) => one.quality(0, 0)),
  );
  const hosts = (place: number) => (place % 9 === 0 && place < 270 ? `host ${(place / 9) % 3}` : undefined);
  const owners = (place: number) => (place % 11 === 0 && place < 220 ? `wallet ${(place / 11) % 5}` : undefined);
  return {
    place: costs[0]!,
    anchored: paidBy(world, (id) => world.anchors.has(id)) / paidBy(world, () => true),
    scales: Math.max(...costs) / Math.min(...costs),
    hosts: cutBy(world, hosts),
    owners: cutBy(world, owners),
    quality,
  };
}

function paidBy({ deals }: World, is: (id: number) => boolean): number {
  return deals.reduce((sum, { payer, usdc, released }) => sum + (released && is(payer) ? usdc : 0), 0);
}

/** Per cent of the honest sellers who lose 10 points or more when these belong together. */
function cutBy(world: World, wholeOf: (id: number) => string | undefined): number {
  const joined = world.fork('clusters');
  for (const { id } of world.people) {
    const whole = wholeOf(id);
    if (whole !== undefined) joined.belongs.set(id, whole);
  }
  const [before, after] = [modelled(world), modelled(joined)];
  const sellers = world.people.filter(({ sells, id }) => sells && before.of[id]!.score !== 0);
  const cut = sellers.filter(({ id }) => before.of[id]!.score - after.of[id]!.score >= 10);
  return (100 * cut.length) / sellers.length;
}

/** The yardstick moves in steps of 2^(1/8), and each cost is searched to some 2 %. */
const STEPS_APART = 2 ** (2 / 8) * 1.04;
/** So much of the trade comes from anchors where trust has something to stand on. */
const FIRM_GROUND = 0.05;
const IS_FREE = /^free ring|^majority/;
const IS_ROUND = /^circle/;
const IS_UNSEEN = /^chain|unseen/;

function goalsOf({ rows }: Found): readonly Asked[] {
  const over =
    (which: RegExp, of: (row: Row) => number, pick = Math.max) =>
    (found: Found) =>
      pick(...[...found.rows].filter(([name]) => which.test(name)).map(([, row]) => of(row)));
  const upTo = (most: number) => (worst: number) => worst <= most;
  const drop = (row: Row) => row.drop;
  const named = (start: string) => new RegExp(`^${[...rows.keys()].find((name) => name.startsWith(start))}$`);
  return [
    {
      ...{ goal: 'AUC of rank, free rings and majority = honest', promised: '0.992 to 1.000', least: true },
      ...{ of: over(IS_FREE, ({ auc }) => auc, Math.min), holds: (worst) => worst >= 0.992 },
    },
    {
      ...{ goal: 'honest sellers with one paid deal below a free ring or a circle', promised: '0' },
      ...{ of: over(/^free ring|^majority|^circle/, ({ outranked }) => outranked), holds: upTo(0) },
    },
    { goal: 'best score of a free ring', promised: '5', of: over(IS_FREE, ({ best }) => best), holds: upTo(5) },
    {
      goal: 'points lost by a smear of 20 free keys',
      promised: '3',
      of: over(named('smear: 20'), drop),
      holds: upTo(3),
    },
    {
      goal: 'points lost by a smear with money that comes back',
      promised: '3',
      of: over(named('smear: 5'), drop),
      holds: upTo(3),
    },
    {
      goal: 'points lost by a smear of 10 USDC that is not grounded',
      promised: '5',
      of: over(named('smear: 1 '), drop),
      holds: upTo(5),
    },
    {
      goal: 'grounded USDC behind circles',
      promised: '0',
      of: over(IS_ROUND, ({ grounded }) => grounded),
      holds: upTo(0),
    },
    {
      goal: 'best score of money that comes back unseen',
      promised: '9',
      of: over(IS_UNSEEN, ({ best }) => best),
      holds: upTo(9),
    },
    {
      ...{ goal: 'honest sellers with a grounded USDC below unseen money', promised: '0' },
      ...{ of: over(IS_UNSEEN, ({ outrankedGrounded }) => outrankedGrounded), holds: upTo(0) },
    },
    {
      goal: 'best score of new keys after bad work',
      promised: '0',
      of: over(/^new keys/, ({ best }) => best),
      holds: upTo(0),
    },
    {
      goal: 'grounded USDC by 100 staked',
      promised: '6.7',
      of: over(/^stake/, ({ grounded }) => grounded),
      holds: upTo(6.7),
    },
    {
      goal: 'grounded USDC by 100 burnt',
      promised: '67',
      of: over(/^burn/, ({ grounded }) => grounded),
      holds: upTo(67),
    },
    {
      goal: 'grounded USDC by 100 spent outside',
      promised: '40',
      of: over(/^trade/, ({ grounded }) => grounded),
      holds: upTo(40),
    },
    {
      ...{ goal: 'a place in the top 20, USDC per USDC its agents earned', promised: '0.5 to 0.7', least: true },
      of: ({ place }) => place,
    },
    {
      ...{ goal: `the same where anchors pay ${100 * FIRM_GROUND} % or more of all`, promised: 'nothing', least: true },
      of: ({ place, anchored }) => (anchored >= FIRM_GROUND ? place : undefined),
    },
    {
      ...{ goal: 'the same at 1, 2, 4 and 8 times the trade: dearest / cheapest', promised: '1 (but for its steps)' },
      ...{ of: ({ scales }) => scales, holds: upTo(STEPS_APART) },
    },
    {
      ...{ goal: 'honest sellers who lose 10 points by sharing a host, %', promised: '0.9' },
      of: ({ hosts }) => hosts,
    },
    {
      ...{ goal: 'honest sellers who lose 10 points by sharing an owner, %', promised: '0.9' },
      of: ({ owners }) => owners,
    },
    {
      ...{ goal: 'correlation of score and true quality', promised: '0.64 to 0.66', least: true },
      of: ({ quality }) => quality,
    },
  ];
}
