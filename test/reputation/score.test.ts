import assert from 'node:assert/strict';
import fc from 'fast-check';
import { touched, withAbandoned, withNewKey, withUnpaid } from '../../core/reputation/evidence.ts';
import { explain } from '../../core/reputation/explanation.ts';
import { type Opinion, rate } from '../../core/reputation/opinion.ts';
import { lowerBoundAt, meanAt, rounded, scoreAt } from '../../core/reputation/score.ts';
import { broughtTo, newStanding, type Standing, totalWeight } from '../../core/reputation/standing.ts';
import { Oracle } from './oracle.ts';

const START = 20_000;

const move = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('rate' as const),
      cluster: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      score: fc.integer({ min: -100, max: 100 }),
      weight: fc.double({ min: 0, max: 4, noNaN: true }),
      late: fc.nat(5),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), epochs: fc.nat(30) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), epochs: fc.integer({ min: 30, max: 900 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('abandon' as const, 'touch' as const, 'key' as const) }) },
);

describe('score version 1 in closed form', () => {
  it('equals the epoch-by-epoch sum over all ratings, for any history', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        let standing: Standing = newStanding(START);
        const opinions = new Map<string, Opinion>();
        const oracle = new Oracle(START);
        let now = START;
        for (const one of moves) {
          if (one.kind === 'wait') now += one.epochs;
          oracle.advance(now);
          if (one.kind === 'rate') {
            const rating = { score: one.score, outcome: 'neutral' as const, weight: one.weight, epoch: now - one.late };
            const next = rate(standing, opinions.get(one.cluster), rating, now);
            opinions.set(one.cluster, next.opinion);
            standing = next.standing;
            oracle.rate(one.cluster, one.score, one.weight, now - one.late);
          }
          if (one.kind === 'abandon') {
            standing = withAbandoned(standing, now, now);
            oracle.abandon(now);
          }
          if (one.kind === 'touch') {
            standing = touched(standing, now);
            oracle.touch();
          }
          if (one.kind === 'key') {
            standing = withNewKey(standing, now);
            oracle.changeKey();
          }
          const difference = Math.abs(meanAt(standing, now) - oracle.mean());
          assert.ok(difference < 1e-6, `${one.kind}: ${meanAt(standing, now)} is not ${oracle.mean()}`);
          assert.ok(Math.abs(scoreAt(standing, now)) <= 100);
          assert.deepEqual(JSON.parse(JSON.stringify(standing)), standing, 'a standing is plain JSON');
        }
        assert.ok(standing.scores.length <= 10);
      }),
      { numRuns: 400, seed: 2026 },
    );
  });

  it('reads the same whether it was brought forward often or never', () => {
    let standing = rate(newStanding(0), undefined, { score: 90, outcome: 'positive', weight: 4, epoch: 0 }, 0).standing;
    const untouched = standing;
    for (let epoch = 1; epoch <= 40; epoch += 1) standing = broughtTo(standing, epoch);
    assert.ok(Math.abs(meanAt(standing, 40) - meanAt(untouched, 40)) < 1e-9);
  });

  it('does not depend on the order in which ratings of one epoch are counted', () => {
    const ratings = [80, -20, 55].map((score, i) => ({ cluster: i === 2 ? 'a' : 'b', score, weight: 1 + i / 3 }));
    const means = [ratings, [...ratings].reverse()].map((order) => {
      let standing = newStanding(7);
      const opinions = new Map<string, Opinion>();
      for (const { cluster, ...rating } of order) {
        const next = rate(standing, opinions.get(cluster), { ...rating, outcome: 'neutral', epoch: 7 }, 7);
        opinions.set(cluster, next.opinion);
        standing = next.standing;
      }
      return meanAt(standing, 7);
    });
    assert.ok(Math.abs(means[0]! - means[1]!) < 1e-9);
  });

  it('costs no write when an agent is active twice in one epoch', () => {
    const standing = newStanding(9);
    assert.equal(touched(standing, 9), standing);
    assert.equal(touched(standing, 10).active, 10);
  });

  it('rounds halves away from zero and never to minus zero', () => {
    const cases = [
      [0.5, 1],
      [-0.5, -1],
      [0.49, 0],
      [-0.49, 0],
      [2.4999999999, 3],
      [-99.5, -100],
      [0, 0],
    ] as const;
    for (const [value, expected] of cases) assert.ok(Object.is(rounded(value), expected), `${value}`);
  });

  it('explains itself: the points of the components add up to the score', () => {
    let standing = rate(
      newStanding(0),
      undefined,
      { score: 100, outcome: 'positive', weight: 3, epoch: 0 },
      0,
    ).standing;
    standing = rate(standing, undefined, { score: -40, outcome: 'negative', weight: 1, epoch: 0 }, 0).standing;
    standing = withUnpaid(withAbandoned(standing, 0, 0));
    const explained = explain(standing, 10);
    const { positive, negative, abandoned, prior } = explained.components;
    const points = positive.points + negative.points + abandoned.points + prior.points;
    assert.ok(Math.abs(points - meanAt(standing, 10)) < 0.001);
    assert.equal(explained.score, scoreAt(standing, 10));
    assert.equal(explained.version, 1);
    assert.deepEqual(explained.idle, { epochs: 4, factor: 0.8145 });
    assert.deepEqual(explained.counts, {
      positive: 1,
      neutral: 0,
      negative: 1,
      abandoned: 1,
      unpaid: 1,
      conceded: 0,
      burnt: 0,
      lost: 0,
      total: 2,
    });
    assert.ok(explained.confidence > 0.4 && explained.confidence < 0.5);
    assert.ok(explained.lower_bound < explained.score);
    assert.ok(lowerBoundAt(newStanding(0), 0) < -28 && totalWeight(newStanding(0)) === 0);
  });
});
