import assert from 'node:assert/strict';
import { feedbackRuling, withRating } from '../../core/protocol/deals/feedback-gate.ts';
import { type DealRecord, newRecord, observe, type RecordFact } from '../../core/protocol/deals/record.ts';
import { ALICE, BOB, DAY, T0 } from './builders.ts';
import { tableUnder } from './doc-tables.ts';

describe('feedback, as docs/deals.md has it,', () => {
  for (const row of tableUnder('deals.md', 'Does this feedback count\\?'))
    it(`${row['Ruling']}: ${row['Feedback']} on day ${row['On day']}, ${row['Record']}`, () => {
      const [, rater, target, day, claim] = /^(\S+) on (\S+), day (\d+)(, as notary)?$/.exec(row['Feedback']!)!;
      const at = T0 + Number(day) * DAY;
      const feedback = { rater: rater!, target: target!, at, received_at: at, as_notary: claim !== undefined };
      const now = T0 + Number(row['On day']) * DAY;
      const result = feedbackRuling(recordOf(row['Record']!), feedback, now);
      const reason = 'reason' in result ? `: ${result.reason}` : '';
      assert.equal(result.ruling + reason, row['Ruling']);
      if (result.ruling === 'waits') assert.ok(result.until > now);
    });

  it('counts once when it comes many times', () => {
    const record = recordOf('delivered day 2')!;
    const feedback = { rater: ALICE, target: BOB, at: T0 + 3 * DAY, received_at: T0 + 3 * DAY };
    assert.equal(feedbackRuling(record, feedback, feedback.at).ruling, 'counts');
    const rated = withRating(record, feedback);
    assert.deepEqual(feedbackRuling(rated, feedback, feedback.at), { ruling: 'drop', reason: 'duplicate' });
  });
});

/** `delivered day 2, both assigned nora`: every word after `nothing` and `offer` is of an accepted deal. */
function recordOf(text: string): DealRecord | undefined {
  if (text === 'nothing') return undefined;
  const isPrivate = text.includes('privately');
  const terms = { amount: '5000000', escrow: true };
  const whole = isPrivate
    ? [{ payer: ALICE }, { payer: ALICE }]
    : [{ terms }, { agreed: { offer: 'p', amount: terms.amount } }];
  let record = observe(newRecord('c', ALICE, BOB), { type: 'propose', id: 'p', by: ALICE, at: T0 - 1, ...whole[0] });
  if (text === 'offer') return record;
  record = observe(record, { type: 'accept', id: 'a', by: BOB, at: T0, ...whole[1] });
  for (const word of text.split(', ')) {
    if (word === 'alice rated bob') record = withRating(record, { rater: ALICE, target: BOB });
    for (const fact of factsOf(word, text)) record = observe(record, fact);
  }
  return record;
}

function factsOf(word: string, text: string): RecordFact[] {
  const day = Number(/day (\d+)/.exec(word)?.[1] ?? 0);
  const at = T0 + day * DAY;
  const assign = (by: string): RecordFact => ({ type: 'assign', id: `n-${by}`, by, at, notary: 'nora' });
  const amount = word.startsWith('dust') || text.includes('dust') ? '1' : '5000000';
  const mark = { terms: 'a', locked_at: T0, amount };
  const lock = {
    ...{ requester: ALICE, provider: BOB, notary: null, at: T0, deadline: T0 + DAY, amount },
    ...{ bond: '2500000', review_secs: 86_400, dispute_bps: 0 },
  };
  switch (word.split(' day ')[0]) {
    case 'delivered':
      return [{ type: 'deliver', id: 'd', by: BOB, at }];
    case 'verdict':
      return [{ type: 'verdict', id: 'v', by: 'nora', at }];
    case 'both assigned nora':
      return [assign(ALICE), assign(BOB)];
    case 'alice assigned nora':
      return [assign(ALICE)];
    case 'locked':
    case 'privately locked':
    case 'dust locked':
      return [{ type: 'locked', ...mark, lock }];
    case 'named':
      return [{ type: 'escrow_delivered', ...mark }];
    case 'released':
      return [{ type: 'closed', ...mark, outcome: 'released', at }];
    case 'refunded':
      return [{ type: 'closed', ...mark, outcome: 'refunded', at }];
    case 'reclaimed':
      return [{ type: 'closed', ...mark, outcome: 'reclaimed', at }];
    default:
      assert.ok(['accepted', 'alice rated bob'].includes(word), `unknown word ${word}`);
      return [];
  }
}
