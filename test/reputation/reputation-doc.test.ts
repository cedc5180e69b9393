import assert from 'node:assert/strict';
import { disputeRatings } from '../../core/deals/dispute-ratings.ts';
import { newRecord, observe, type RecordFact } from '../../core/deals/record.ts';
import type { Closing } from '../../core/deals/record-escrows.ts';
import { formatUsdc, parseUsdc } from '../../core/money.ts';
import { type Budget, granted } from '../../core/reputation/budget.ts';
import { touched, withAbandoned, withDispute, withNewKey } from '../../core/reputation/evidence.ts';
import { type Direction, type Flow, netFlow, withRelease } from '../../core/reputation/flow.ts';
import { countedOutcome, type Opinion, type Outcome, rate } from '../../core/reputation/opinion.ts';
import { placementOf, rankAt } from '../../core/reputation/ranking.ts';
import { confidenceAt, lowerBoundAt, scoreAt } from '../../core/reputation/score.ts';
import { newStanding, type Standing } from '../../core/reputation/standing.ts';
import { trendOf } from '../../core/reputation/trend.ts';
import { ratingWeight } from '../../core/reputation/weight.ts';
import { tableUnder } from '../deals/doc-tables.ts';

function rows(heading: string) {
  return tableUnder('reputation.md', heading);
}

describe('docs/reputation.md', () => {
  for (const row of rows('From ratings to a score'))
    it(`${row['Story']} → ${row['Score']}`, () => {
      const { standing, now } = told(row['Story']!);
      assert.equal(scoreAt(standing, now), Number(row['Score']));
      assert.equal(lowerBoundAt(standing, now).toFixed(1), row['Lower bound']);
      assert.equal(confidenceAt(standing, now).toFixed(2), row['Confidence']);
    });

  for (const row of rows('Disputes'))
    it(`a dispute that ends ${Object.values(row).join(' ')}`, () => {
      const side = { no: false, yes: true, provider: true, requester: false } as Record<string, boolean>;
      const ratings = disputeRatings(
        disputed(row['Outcome'] as Closing['outcome'], {
          offer_bps: Number(row['Offer']),
          contested: side[row['Contested']!]!,
          for_provider: side[row['Notary for']!] ?? null,
          burnt: parseUsdc(row['Burnt']!)!.toString(),
        }),
      );
      const of = (by: string) => ratings.filter((one) => one.by === by).map(({ score }) => String(score))[0] ?? '';
      assert.deepEqual([of('provider'), of('requester')], [row['Provider'], row['Requester']]);
      assert.deepEqual([...new Set(ratings.map(({ weight }) => String(weight)))].join(), row['Weight']);
    });

  for (const row of rows('What a rating weighs'))
    it(`a rating over ${row['Net USDC']} USDC from a rater of ${row["Rater's score"]} weighs ${row['Weight']}`, () => {
      const weight = ratingWeight(parseUsdc(row['Net USDC']!)!, Number(row["Rater's score"]));
      assert.ok(Math.abs(weight - Number(row['Weight'])) < 1e-12, String(weight));
    });

  for (const row of rows('Net flow'))
    it(`${row['Released']}: ${row['Net USDC']} USDC ${row['Direction']} in ${row['In epoch']}`, () => {
      let flow: Flow | undefined;
      for (const [, amount, direction, epoch] of row['Released']!.matchAll(/([\d.]+) (\w+) in (\d+)/g))
        flow = withRelease(flow, direction as Direction, parseUsdc(amount!)!, Number(epoch), Number(epoch));
      const net = netFlow(flow, row['Direction'] as Direction, Number(row['In epoch']));
      assert.equal(formatUsdc(net), row['Net USDC']);
    });

  for (const row of rows("A cluster's budget"))
    it(`${row['Given before']}, ${row['Leases']} leases: ${row['Wanted']} becomes ${row['Granted']}`, () => {
      let budget: Budget | undefined;
      for (const [, weight, epoch] of row['Given before']!.matchAll(/([\d.]+) in (\d+)/g))
        budget = granted(budget, Number(weight), Number(epoch), undefined).budget;
      const leases = row['Leases'] === 'gate off' ? undefined : Number(row['Leases']);
      const grant = granted(budget, Number(row['Wanted']), Number(row['In epoch']), leases);
      assert.equal(grant.weight, Number(row['Granted']));
    });

  for (const row of rows('Counts and trend'))
    it(`${row['Outcome']} with ${row['Score']} counts as ${row['Counted as']}`, () => {
      const outcome = row['Outcome'] as Outcome;
      assert.equal(countedOutcome({ outcome, score: Number(row['Score']) }), row['Counted as']);
    });

  for (const row of rows('Trend'))
    it(`${row['Scores'] || 'no scores'}: ${row['Trend']}`, () => {
      assert.equal(trendOf(row['Scores']!.split(' ').filter(Boolean).map(Number)), row['Trend']);
    });

  for (const row of rows('The leaderboard'))
    it(`a bound of ${row['Bound']} ranks ${row['Rank']} in epoch ${row['In epoch']}`, () => {
      const [bound, epoch, active, now] = ['Bound', 'Written', 'Active', 'In epoch'].map((name) => Number(row[name]));
      const ranked = { id: 'a', bound: bound!, epoch: epoch!, active: active! };
      const place = placementOf(ranked, now!);
      assert.equal(Number(rankAt(ranked, now!).toFixed(1)), Number(row['Rank']));
      assert.equal(place.index, row['Index']);
      assert.equal(String(place.moves_at ?? ''), row['Moves at']);
    });
});

describe('the documents of reputation', () => {
  it('stay bounded: a budget holds 30 epochs, a flow 90', () => {
    let budget: Budget | undefined;
    let flow: Flow | undefined;
    for (let epoch = 0; epoch < 400; epoch += 1) {
      budget = granted(budget, 1, epoch, 12).budget;
      flow = withRelease(flow, epoch % 2 ? 'forth' : 'back', 10n ** 18n, epoch, epoch);
    }
    assert.equal(budget!.spent.length, 30);
    assert.equal(flow!.epochs.length, 90);
    assert.ok(budget!.spent.reduce((sum, entry) => sum + entry.weight, 0) <= 12);
  });

  it('forget a release that is told too late', () => {
    assert.deepEqual(withRelease(undefined, 'forth', 1n, 10, 100), { epochs: [] });
  });

  it('grant the same weight whichever way a cluster splits it', () => {
    let budget: Budget | undefined;
    let given = 0;
    for (let i = 0; i < 50; i += 1) {
      const grant = granted(budget, 0.3, 100 + (i % 3), 5);
      given += grant.weight;
      budget = grant.budget;
    }
    assert.ok(Math.abs(given - 5) < 1e-9);
  });
});

/** A deal whose provider named its delivery on the ledger, with its end. */
function disputed(outcome: Closing['outcome'], dispute: NonNullable<Closing['dispute']>) {
  const mark = { terms: 'a', locked_at: 2, amount: '10000000' };
  const lock = { requester: 'requester', provider: 'provider', notary: 'nora', at: 2, deadline: 99 };
  const facts: RecordFact[] = [
    { type: 'propose', id: 'p', by: 'requester', at: 0 },
    { type: 'accept', id: 'a', by: 'provider', at: 1 },
    { type: 'locked', ...mark, lock },
    { type: 'escrow_delivered', ...mark },
    { type: 'closed', ...mark, outcome, at: 9, dispute },
  ];
  return facts.reduce(observe, newRecord('c', 'requester', 'provider'));
}

function told(story: string): { standing: Standing; now: number } {
  let now = 20_000;
  let standing = newStanding(now);
  const opinions = new Map<string, Opinion>();
  for (const sentence of story.split(', ')) {
    const [first, verb, score, , weight] = sentence.split(' ') as [string, ...(string | undefined)[]];
    if (first.startsWith('+')) {
      const busy = verb === 'busy';
      for (let left = Number(first.slice(1)); left > 0; left -= 1) {
        now += 1;
        if (busy) standing = touched(standing, now);
      }
    } else if (verb === 'rates') {
      const rating = { score: Number(score), outcome: 'neutral' as const, weight: Number(weight ?? 1), epoch: now };
      const next = rate(standing, opinions.get(first), rating, now);
      opinions.set(first, next.opinion);
      standing = next.standing;
    } else if (sentence === 'abandons') standing = withAbandoned(standing, now, now);
    else if (sentence === 'concedes')
      standing = withDispute(standing, { kind: 'conceded', score: -50, weight: 1 }, now, now);
    else if (sentence === 'burns half')
      standing = withDispute(standing, { kind: 'burnt', score: -25, weight: 0.5 }, now, now);
    else if (sentence === 'active') standing = touched(standing, now);
    else if (sentence === 'new key') standing = withNewKey(standing, now);
    else assert.equal(sentence, 'nothing', `unknown word: ${sentence}`);
  }
  return { standing, now };
}
