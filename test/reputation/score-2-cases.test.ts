import assert from 'node:assert/strict';
import type { Contribution } from '../../core/protocol/reputation/evidence.ts';
import { scoredBy, yardstickOf } from '../../core/protocol/reputation/formula.ts';
import { groundOf } from '../../core/protocol/reputation/ground.ts';
import { Chance } from '../program/support/random.ts';
import { economyOf } from './economies.ts';
import { evidenceOf } from './evidence-of.ts';

interface Facts {
  /** Rater, grounded USDC, value. */
  readonly opinions?: readonly (readonly [rater: string, usdc: number, value: number])[];
  /** USDC and value. */
  readonly raw?: readonly [usdc: number, value: number];
  /** How many raters said it for nothing, and what. */
  readonly free?: readonly [raters: number, value: number];
  readonly abandoned?: number;
  readonly yardstick?: number;
}

type Row = readonly [name: string, facts: Facts, mass: number, score: number, rank: number];

const a50b50 = (value: number) =>
  [
    ['a', 50, value],
    ['b', 50, value],
  ] as const;

/** The worked cases of the score: the yardstick is 100 where none is said. */
const CASES: readonly Row[] = [
  ['nothing', {}, 0, 0, -28.62],
  ['a hundred free raters at 100', { free: [100, 100] }, 0, 5, -28.62],
  ['five hundred free raters at 100', { free: [500, 100] }, 0, 5, -28.62],
  ['one free rater at 100', { free: [1, 100] }, 0, 1, -28.62],
  ['five hundred free raters at -100', { free: [500, -100] }, 0, -3, -31.53],
  ['1 USDC of raw money at 100', { raw: [1, 100] }, 0, 4, -24.22],
  ['a million USDC of raw money at 100', { raw: [1e6, 100] }, 0, 9, -18.2],
  ['a million raw and a hundred free at 100', { raw: [1e6, 100], free: [100, 100] }, 0, 13, -18.2],
  ['100 USDC of raw money at -100', { raw: [100, -100] }, 0, -5, -33.38],
  ['a 1 at 100', { opinions: [['a', 1, 100]] }, 1, 29, 4.38],
  ['a 4 at 100', { opinions: [['a', 4, 100]] }, 4, 44, 23.11],
  ['a 4 at 60', { opinions: [['a', 4, 60]] }, 4, 30, 23.11],
  ['a 4 at 0', { opinions: [['a', 4, 0]] }, 4, 0, -21.33],
  ['a 4 at -100', { opinions: [['a', 4, -100]] }, 8, -53, -72.69],
  ['a 100 at 100', { opinions: [['a', 100, 100]] }, 50, 74, 59.25],
  ['a 50, b 50 at 100', { opinions: a50b50(100) }, 100, 80, 67.2],
  ['a 50, b 50 at 80', { opinions: a50b50(80) }, 100, 71, 67.2],
  [
    'a 90 at 100, b 10 at -100',
    {
      opinions: [
        ['a', 90, 100],
        ['b', 10, -100],
      ],
    },
    70,
    33,
    19.27,
  ],
  [
    'a 50 at 100, b 50 at -100',
    {
      opinions: [
        ['a', 50, 100],
        ['b', 50, -100],
      ],
    },
    150,
    -28,
    -39.47,
  ],
  [
    'a 200, b 200 at 100',
    {
      opinions: [
        ['a', 200, 100],
        ['b', 200, 100],
      ],
    },
    400,
    89,
    79.35,
  ],
  ['a 50, b 50 at 100 against a yardstick of 1000', { opinions: a50b50(100), yardstick: 1000 }, 100, 56, 36.83],
  ['a 50, b 50 at 100 and five hundred free at -100', { opinions: a50b50(100), free: [500, -100] }, 100, 79, 66.13],
  ['one abandoned deal', { abandoned: 1 }, 0, -8, -36.96],
  ['a 50, b 50 at 100, two abandoned deals', { opinions: a50b50(100), abandoned: 2 }, 100, 70, 57.57],
];

/** Who paid whom, `*` an anchor; then what is grounded and raw of each pair asked for. */
const GROUNDS: readonly (readonly [story: string, expected: string])[] = [
  ['A*>B 100', 'A>B 100 / 0'],
  ['A>B 100', 'A>B 0 / 100'],
  ['A*>B 100, B>A 40', 'A>B 60 / 0'],
  ['A*>B 100, B>A 100', 'A>B 0 / 0'],
  ['A>B 100, B>C 100, C>A 100', 'A>B 0 / 0, B>C 0 / 0'],
  ['A*>B 100, B>C 100, C>A 100', 'A>B 0 / 0'],
  ['A*>B 100, B>C 100', 'A>B 100 / 0, B>C 25 / 0'],
  ['A*>B 100, B>C 20', 'A>B 100 / 0, B>C 20 / 0'],
  ['A*>B 100, B>C 100, C>D 100', 'B>C 25 / 0, C>D 6.25 / 0'],
  ['A>B 100, B>C 100, C>D 100', 'A>B 0 / 100, B>C 0 / 0, C>D 0 / 0'],
  ['A*>B 100, P>B 100', 'P>B 0 / 100'],
  ['A*>B 100, P>B 100, P>C 100', 'P>B 0 / 100, P>C 1 / 99'],
  ['A*>B 100, P>B 100, P>C 900', 'P>C 1.8 / 898.2'],
  ['A*>B 10, P>B 190, P>C 100', 'P>C 0.66 / 99.34'],
  ['A*>B 100, P>B 100, P>C 1, Q>C 1, Q>D 1', 'P>C 0.02 / 0.98, Q>D 0 / 1'],
  ['P>C 100, burn P 50', 'P>C 5 / 95'],
  ['P>C 2, burn P 50', 'P>C 2 / 0'],
  ['P>C 100, stake P 100', 'P>C 1 / 99'],
  ['A*>B 50, A*>C 50, risk A 100', 'A>B 25 / 0'],
  ['A*>B 30, X>A 60', 'A>B 0 / 0'],
];

describe('score 2, by the worked cases', () => {
  for (const [name, facts, mass, score, rank] of CASES) {
    it(`${name}: ${score}, rank ${rank}`, () => {
      const evidence = evidenceOf(contributionsOf(facts), facts.abandoned ?? 0);
      const scored = scoredBy(evidence, facts.yardstick ?? 100);
      assert.deepEqual([hundredths(evidence.mass), scored.score, hundredths(scored.rank)], [mass, score, rank]);
      const points = Object.values(scored.points).reduce((sum, part) => sum + part, 0);
      assert.ok(Math.abs(points - scored.exact) < 1e-9, `the points add up to ${points}, not ${scored.exact}`);
    });
  }
});

describe('ground, by the worked cases', () => {
  for (const [story, expected] of GROUNDS) {
    it(`${story}: ${expected}`, () => {
      const { economy, pairOf } = economyOf(story);
      const ground = groundOf(economy);
      const shown = expected.split(', ').map((part) => {
        const name = part.split(' ')[0]!;
        const pair = pairOf(name);
        if (pair === undefined) return `${name} 0 / 0`;
        const grounded = ground.grounded[pair]!;
        const own = economy.net[pair]! * ground.own[economy.payer[pair]!]!;
        return `${name} ${hundredths(grounded)} / ${hundredths(Math.max(0, own - grounded))}`;
      });
      assert.equal(shown.join(', '), expected);
    });
  }
});

describe('the bound of a ring', () => {
  it('holds in a thousand random graphs: 0.4 of what it spent outside, 0.67 of what it burnt, 0.067 of its stake', () => {
    let closest = 0;
    for (let seed = 1; seed <= 1_000; seed++) {
      const { economy, isRing, bound } = randomRing(seed);
      const { grounded } = groundOf(economy);
      let mass = 0;
      for (const [pair, usdc] of grounded.entries())
        if (isRing(economy.payer[pair]!) && isRing(economy.target[pair]!)) mass += usdc;
      assert.ok(mass <= bound * 1.000_001 + 1e-9, `seed ${seed}: ${mass} is more than ${bound}`);
      if (bound > 0) closest = Math.max(closest, mass / bound);
    }
    assert.ok(closest > 0.15, `no graph came near the bound (${closest}), so the test shows nothing`);
  });
});

describe('the yardstick', () => {
  it('is the median of the twenty largest masses, in steps of the eighth root of two, and at least 10', () => {
    assert.equal(yardstickOf([]), 10);
    assert.equal(yardstickOf(Array.from({ length: 100 }, (_, index) => index)), yardstickOf([89]));
    assert.equal(yardstickOf([20]), 20);
    assert.ok(Math.abs(yardstickOf([100]) - 10 * 2 ** (26 / 8)) < 1e-9);
  });
});

function contributionsOf({ opinions = [], raw, free = [0, 0] }: Facts): Contribution[] {
  const none = { opinions: [], raw: undefined, free: undefined };
  const [raters, value] = free;
  return [
    ...opinions.map(([rater, usdc, said]) => ({ ...none, opinions: [{ rater, usdc, value: said }] })),
    ...(raw ? [{ ...none, raw: { usdc: raw[0], value: raw[1] } }] : []),
    ...Array.from({ length: raters }, () => ({ ...none, free: { weight: 0.05, value } })),
  ];
}

/** Honest clusters that pay each other at random, and a ring that pays itself and a little outside. */
function randomRing(seed: number) {
  const chance = new Chance(seed);
  const honest = 3 + chance.below(5);
  const clusters = honest + 2 + chance.below(6);
  const steps: string[] = [];
  const name = (cluster: number) => `${String(cluster).padStart(2, '0')}${cluster < 2 ? '*' : ''}`;
  const pay = (from: number, to: number, usdc: number) => {
    if (from !== to) steps.push(`${name(from)}>${name(to)} ${usdc}`);
  };
  for (let count = 0; count < 20; count++) pay(chance.below(honest), chance.below(honest), 200 * chance.next());
  let bound = 0;
  for (let count = 0; count < 30; count++) {
    const member = honest + chance.below(clusters - honest);
    const kind = chance.next();
    const usdc = 10 ** (4 * chance.next() - 1);
    if (kind < 0.3) {
      pay(member, chance.below(honest), usdc);
      bound += 0.4 * usdc;
    } else if (kind < 0.33) {
      steps.push(`burn ${name(member)} ${usdc}`);
      bound += (0.1 / 0.15) * usdc;
    } else if (kind < 0.36) {
      steps.push(`stake ${name(member)} ${usdc}`);
      bound += (0.01 / 0.15) * usdc;
    } else pay(member, honest + chance.below(clusters - honest), usdc);
  }
  const { economy, names } = economyOf(steps.join(', '));
  return { economy, bound, isRing: (cluster: number) => Number(names[cluster]) >= honest };
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
