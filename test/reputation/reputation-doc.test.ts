import assert from 'node:assert/strict';
import { sayingsOf } from '../../core/aggregator/ingest/effects/sayings.ts';
import { parseUsdc } from '../../core/platform/usdc.ts';
import { disputeRatings } from '../../core/protocol/deals/dispute-ratings.ts';
import { newRecord, observe, type RecordFact } from '../../core/protocol/deals/record.ts';
import type { Closing } from '../../core/protocol/deals/record-escrows.ts';
import { countedOutcome, type Outcome } from '../../core/protocol/reputation/counts.ts';
import type { Contribution } from '../../core/protocol/reputation/evidence.ts';
import { scoredBy } from '../../core/protocol/reputation/formula.ts';
import { groundOf } from '../../core/protocol/reputation/ground.ts';
import { FREE_UNIT } from '../../core/protocol/reputation/parameters.ts';
import { trendOf } from '../../core/protocol/reputation/trend.ts';
import { tableUnder } from '../deals/doc-tables.ts';
import { economyOf } from './economies.ts';
import { evidenceOf } from './evidence-of.ts';

function rows(heading: string) {
  return tableUnder('reputation.md', heading);
}

describe('docs/reputation.md', () => {
  for (const row of rows('What is added up'))
    it(`${row['Rating']} by the ${row['By']} over ${row['Released']} and ${row['Returned']}: ${row['Counts as']}`, () => {
      const [released, returned] = [parseUsdc(row['Released']!)!, parseUsdc(row['Returned']!)!];
      const settled = { requester: 'payer', provider: 'provider', released, returned };
      const target = row['By'] === 'provider' ? 'payer' : 'provider';
      const sayings = sayingsOf({ rater: row['By']!, target, value: Number(row['Rating']), epoch: 1 }, settled);
      assert.equal(sayings.map(({ kind, mass }) => `${kind} ${mass}`).join(', '), row['Counts as']);
      assert.ok(sayings.every(({ value, epoch }) => value === Number(row['Rating']) && epoch === 1));
    });

  for (const row of rows('Ground'))
    it(`${row['Economy']}: ${row['Grounded']} of ${row['Pair']} is grounded`, () => {
      const { economy, names, pairOf } = economyOf(row['Economy']!);
      const { grounded, own } = groundOf(economy);
      const pair = pairOf(row['Pair']!);
      const found = pair === undefined ? 0 : grounded[pair]!;
      const payer = names.indexOf(row['Pair']!.split('>')[0]!);
      const raw = pair === undefined ? 0 : Math.max(0, economy.net[pair]! * own[payer]! - found);
      assert.deepEqual([hundredths(found), hundredths(raw)], [Number(row['Grounded']), Number(row['Raw'])]);
    });

  for (const row of rows('From money to a score'))
    it(`${row['Evidence']}: ${row['Score']}, rank ${row['Rank']}`, () => {
      const { evidence, yardstick } = told(row['Evidence']!);
      const { score, rank } = scoredBy(evidence, yardstick);
      assert.deepEqual([hundredths(evidence.mass), score], [Number(row['Mass']), Number(row['Score'])]);
      assert.equal(rank.toFixed(2), row['Rank']);
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

  for (const row of rows('Counts and trend'))
    it(`${row['Outcome']} with ${row['Score']} counts as ${row['Counted as']}`, () => {
      const outcome = row['Outcome'] as Outcome;
      assert.equal(countedOutcome({ outcome, score: Number(row['Score']) }), row['Counted as']);
    });

  for (const row of rows('Trend'))
    it(`${row['Scores'] || 'no scores'}: ${row['Trend']}`, () => {
      assert.equal(trendOf(row['Scores']!.split(' ').filter(Boolean).map(Number)), row['Trend']);
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

/** Evidence as a story of the page. */
function told(story: string) {
  const contributions: Contribution[] = [];
  let abandoned = 0;
  let disputes = { mass: 0, sum: 0 };
  let yardstick = 100;
  const said = { opinions: [], raw: undefined, free: undefined };
  for (const sentence of story === 'nothing' ? [] : story.split(', ')) {
    const [who, ...rest] = sentence.split(' ') as [string, ...string[]];
    const [much, value] = [Number(rest[0]), Number(rest[2])];
    if (who === 'abandoned') abandoned = much;
    else if (who === 'dispute') disputes = { mass: much, sum: much * value };
    else if (who === 'yard') yardstick = much;
    else if (who === 'raw') contributions.push({ ...said, raw: { usdc: much, value } });
    else if (who === 'free')
      for (let rater = 0; rater < much; rater += 1) contributions.push({ ...said, free: { weight: FREE_UNIT, value } });
    else contributions.push({ ...said, opinions: [{ rater: who, usdc: much, value }] });
  }
  return { evidence: evidenceOf(contributions, abandoned, disputes), yardstick };
}

function hundredths(value: number): number {
  return Math.round(100 * value) / 100 || 0;
}
