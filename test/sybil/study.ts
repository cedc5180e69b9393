import { placeCost } from './costs.ts';
import { correlation } from './measures.ts';
import { modelled } from './model.ts';
import { playModel, type Row } from './play.ts';
import { playsOf } from './plays.ts';
import { type Fared, fared, type Treated, treated } from './scoreboard.ts';
import { honestWorld, type Size, type World } from './world.ts';

/** One goal of SCORE.md over many seeds. */
export interface Summary {
  readonly goal: string;
  /** As SCORE.md has it, or what takes its place (decision 026). */
  readonly promised: string;
  readonly worst: number;
  readonly mean: number;
  /** The seed with the worst value. */
  readonly seed: number;
  /** Undefined for what is only told. */
  readonly holds: boolean | undefined;
}

/** All that one seed has come to. */
export interface Studied {
  readonly seed: number;
  /** By goal; null where it is not asked. */
  readonly goals: Readonly<Record<string, number | null>>;
  /** By attack and version. */
  readonly attacks: Readonly<Record<string, Readonly<Record<string, Fared>>>>;
  /** USDC that are gone, by attack. */
  readonly lost: Readonly<Record<string, number>>;
  /** By version, where nobody attacks. */
  readonly honest: Readonly<Record<string, Treated>>;
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
  readonly rows: ReadonlyMap<string, Row>;
  /** USDC that a place among the first twenty costs; the same for each USDC that those earned; in yardsticks. */
  readonly usdc: number;
  readonly place: number;
  readonly yards: number;
  /** The share of all payments that anchors make. */
  readonly anchored: number;
  readonly scales: number;
  readonly hosts: number;
  readonly owners: number;
  readonly quality: number;
}

/** Plays the model with a seed, also against older versions of the score. */
export function studied(seed: number, size: Size, onBroken: (broken: readonly Row[]) => void = () => {}): Studied {
  const { rows } = playModel({ seed, size });
  onBroken(rows.filter(({ broken }) => broken.length > 0));
  const honest = honestWorld(seed, size);
  const found = { rows: new Map(rows.map((row) => [row.attack, row])), ...sideEffects(honest) };
  const attacks = playsOf(honest).flatMap((play) => {
    const one = fared(honest, play);
    return one ? [[play.name, one] as const] : [];
  });
  return {
    seed,
    goals: Object.fromEntries(goalsOf([...found.rows.keys()]).map(({ goal, of }) => [goal, of(found) ?? null])),
    attacks: Object.fromEntries(attacks),
    lost: Object.fromEntries(rows.map(({ attack, lost }) => [attack, lost])),
    honest: treated(honest, found.usdc),
  };
}

/** Says of each goal what came out worst. */
export function summed(all: readonly Studied[]): Summary[] {
  const names = Object.keys(all[0]!.lost);
  return goalsOf(names).map(({ goal, promised, holds, least }) => {
    const asked = all.filter(({ goals }) => goals[goal] !== null);
    const values = asked.map(({ goals }) => goals[goal]!);
    const worst = least ? Math.min(...values) : Math.max(...values);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return { goal, promised, worst, mean, seed: asked[values.indexOf(worst)]?.seed ?? 0, holds: holds?.(worst, mean) };
  });
}

function sideEffects(world: World): Omit<Found, 'rows'> {
  const standings = modelled(world);
  const places = [1, 2, 4, 8].map((times) => placeCost(times === 1 ? world : world.scaled(times)));
  const costs = places.map(({ usdc, earned }) => usdc / earned);
  const { usdc } = places[0]!;
  const rated = world.people.filter(({ sells, id }) => sells && standings.of[id]!.score !== 0);
  const quality = correlation(
    rated.map(({ id }) => standings.of[id]!.score),
    rated.map((one) => one.quality(0, 0)),
  );
  const hosts = (place: number) => (place % 9 === 0 && place < 270 ? `host ${(place / 9) % 3}` : undefined);
  const owners = (place: number) => (place % 11 === 0 && place < 220 ? `wallet ${(place / 11) % 5}` : undefined);
  return {
    usdc,
    place: costs[0]!,
    yards: usdc / standings.yardstick,
    anchored: paidBy(world, (id) => world.anchors.has(id)) / paidBy(world, () => true),
    scales: Math.max(...costs) / Math.min(...costs),
    hosts: cutBy(world, hosts, (joined) => joined.hosts),
    owners: cutBy(world, owners, (joined) => joined.belongs),
    quality,
  };
}

function paidBy({ deals }: World, is: (id: number) => boolean): number {
  return deals.reduce((sum, { payer, usdc, released }) => sum + (released && is(payer) ? usdc : 0), 0);
}

/** Per cent of the honest sellers who lose 10 points or more when these belong together. */
function cutBy(
  world: World,
  wholeOf: (id: number) => string | undefined,
  kept: (joined: World) => Map<number, string>,
): number {
  const joined = world.fork('clusters');
  for (const { id } of world.people) {
    const whole = wholeOf(id);
    if (whole !== undefined) kept(joined).set(id, whole);
  }
  const [before, after] = [modelled(world), modelled(joined)];
  const sellers = world.people.filter(({ sells, id }) => sells && before.of[id]!.score !== 0);
  const cut = sellers.filter(({ id }) => before.of[id]!.score - after.of[id]!.score >= 10);
  return (100 * cut.length) / sellers.length;
}

/** The yardstick moves in steps of 2^(1/8), and each cost is searched to some 2 %. */
const STEPS_APART = 2 ** (2 / 8) * 1.04;
/** At least so many yardsticks a place costs, and at most so many per cent of sellers lose ten points by strangers at their host. */
const LEAST_YARDS = 5;
const CUT_IN_THE_MEAN = 0.9;
/** So much of the trade comes from anchors where trust has something to stand on. */
const FIRM_GROUND = 0.05;
const IS_FREE = /^free ring|^majority/;
const IS_ROUND = /^circle/;
const IS_UNSEEN = /^chain|unseen/;

function goalsOf(attacks: readonly string[]): readonly Asked[] {
  const over =
    (which: RegExp, of: (row: Row) => number, pick = Math.max) =>
    (found: Found) =>
      pick(...[...found.rows].filter(([name]) => which.test(name)).map(([, row]) => of(row)));
  const upTo = (most: number) => (worst: number) => worst <= most;
  const drop = (row: Row) => row.drop;
  const named = (start: string) => new RegExp(`^${attacks.find((name) => name.startsWith(start))}$`);
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
      ...{ goal: 'a place in the top 20, yardsticks', promised: '5 or more', least: true },
      ...{ of: ({ yards }) => yards, holds: (worst) => worst >= LEAST_YARDS },
    },
    {
      ...{ goal: 'the same at 1, 2, 4 and 8 times the trade: dearest / cheapest', promised: '1 (but for its steps)' },
      ...{ of: ({ scales }) => scales, holds: upTo(STEPS_APART) },
    },
    {
      ...{ goal: 'honest sellers who lose 10 points by sharing a host, %', promised: '0.9 in the mean' },
      ...{ of: ({ hosts }) => hosts, holds: (_, mean) => mean <= CUT_IN_THE_MEAN },
    },
    {
      ...{ goal: 'honest sellers who lose 10 points by sharing an owner, %', promised: '0.9 in the mean' },
      ...{ of: ({ owners }) => owners, holds: (_, mean) => mean <= CUT_IN_THE_MEAN },
    },
    {
      ...{ goal: 'correlation of score and true quality', promised: '0.64 to 0.66', least: true },
      of: ({ quality }) => quality,
    },
  ];
}
