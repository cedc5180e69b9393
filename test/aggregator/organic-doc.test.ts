import assert from 'node:assert/strict';
import { newFlow, withFacts } from '../../core/aggregator/flows/sums.ts';
import { type OrganicCounts, OrganicSums } from '../../core/aggregator/series/organic.ts';
import { seriesId } from '../../core/aggregator/store/flows.ts';
import { ScoreBook } from '../../core/protocol/reputation/book.ts';
import { DONE_NOTHING, newPair, withPayment } from '../../core/protocol/reputation/sums.ts';
import { tableUnder } from '../deals/doc-tables.ts';

const rows = (heading: string) => tableUnder('analytics.md', heading);
const EPOCH = 20_000;
const USDC = 1_000_000n;
const HOUR = 3_600_000;
const FIRST = EPOCH * 24;

/** A book that was told an economy of the docs. */
function bookOf(text: string): ScoreBook {
  const book = new ScoreBook();
  const anchors: string[] = [];
  for (const part of text.replaceAll('`', '').split(', ')) {
    const [, one, anchor, kind, other, usdc] = /^(\w)(\*)?([>=])(\w)(?: (\d+))?$/.exec(part)!;
    if (anchor) anchors.push(one!);
    if (kind === '>') book.setPair(withPayment(newPair(one!, other!, EPOCH, 0), BigInt(usdc!) * USDC));
    else
      for (const id of [one!, other!])
        book.setAgent({ ...DONE_NOTHING, id, staked: '0', active: EPOCH, key_changes: 0, belongs: ['an owner'] });
  }
  book.run(EPOCH, anchors);
  return book;
}

describe('organic figures in docs/analytics.md', () => {
  for (const row of rows('Organic figures'))
    it(`${row['Economy']}: ${row['Organic']} of ${row['Paid']} of ${row['Pair']}`, () => {
      const [from, to] = row['Pair']!.split('>') as [string, string];
      const [share] = bookOf(row['Economy']!).organicOf([[from, to]])!;
      const organic = Math.round(100 * Number(row['Paid']) * share!.paid) / 100;
      assert.deepEqual([organic, share!.rated ? 'yes' : 'no'], [Number(row['Organic']), row['A rating counts']]);
    });

  it('are worked out for a day', () => {
    const events = rows('A day worked out');
    const now = (FIRST + 5) * HOUR;
    const flows = new Map<string, ReturnType<typeof newFlow>>();
    for (const { Hour: hour, From: from, To: to, USDC: usdc, Ratings: ratings } of events) {
      const at = (FIRST + Number(hour)) * HOUR;
      let flow = flows.get(`${from}>${to}`) ?? newFlow(from!, to!);
      flow = withFacts(flow, [{ usdc: BigInt(usdc!) * USDC, at }], now);
      for (let n = 0; n < Number(ratings); n++) flow = withFacts(flow, [{ score: 80, at }], now);
      flows.set(`${from}>${to}`, flow);
    }
    const book = bookOf('A*>B 100, B>A 40, C>D 30');
    const sums = new OrganicSums(now);
    for (const flow of flows.values()) sums.add(flow, book.organicOf([[flow.from, flow.to]])![0]!);
    assert.equal(book.organicAgents(), 2);
    for (const row of rows('Its figures')) {
      const hour = row['Hour']!;
      const own = events.filter((event) => hour === 'all' || event['Hour'] === hour);
      const sum = (member: string) => own.reduce((all, event) => all + Number(event[member]), 0);
      assert.deepEqual(
        [own.length, sum('USDC'), sum('Ratings')],
        [Number(row['Payments']), Number(row['USDC']), Number(row['Ratings'])],
      );
      const found: OrganicCounts =
        hour === 'all' ? sums.all : sums.buckets.get(seriesId('hour', FIRST + Number(hour)))!;
      assert.deepEqual(
        [found.payments, Math.round(found.micro) / 1e6, found.ratings],
        [Number(row['Organic payments']), Number(row['Organic USDC']), Number(row['Organic ratings'])],
      );
    }
    const day = sums.buckets.get(seriesId('day', EPOCH))!;
    assert.deepEqual(day, sums.all);
  });
});
