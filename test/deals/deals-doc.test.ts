import assert from 'node:assert/strict';
import { attempt } from '../../core/protocol/deals/advance.ts';
import type { MessageEvent } from '../../core/protocol/deals/events.ts';
import { nextTimer } from '../../core/protocol/deals/timers.ts';
import { tableUnder } from './doc-tables.ts';
import { Story } from './story.ts';

const UNITS = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

describe('docs/deals.md', () => {
  for (const heading of ['What the states mean', 'With escrow'])
    for (const row of tableUnder('deals.md', heading))
      it(`${row['Story']} → ${row['State']}`, () => {
        const { deal } = Story.told(row['Story']!);
        assert.equal(deal!.state, row['State']);
        assert.equal(deal!.reason ?? '', row['Reason']);
        assert.equal(deal!.against ?? '', row['Against']);
        assert.equal(deal!.final, row['Final'] === 'yes');
      });

  for (const row of tableUnder('deals.md', 'What is refused'))
    it(`${row['Story']}: refuses "${row['Then']}"`, () => {
      const story = Story.told(row['Story']!);
      const before = JSON.stringify(story.deal);
      story.tell(row['Then']!, false);
      const step = story.last!;
      assert.ok(!step.ok, 'it was not refused');
      assert.equal(step.code, 'invalid_transition');
      assert.ok(step.detail.includes(row['Refused because']!), step.detail);
      assert.deepEqual([...step.allowed].sort(), row['Allowed instead']!.split(' ').filter(Boolean).sort());
      assert.equal(JSON.stringify(story.deal), before, 'a refusal changes nothing');
    });

  for (const row of tableUnder('deals.md', 'Crossing messages'))
    it(`${row['Alice sends']} × ${row['Bob sends']} → ${row['Both end']}`, () => {
      const ends = [true, false].map((aliceFirst) => {
        const story = Story.told(row['Both know']!);
        const events = [row['Alice sends']!, row['Bob sends']!].map((sentence) => story.eventOf(sentence));
        for (const event of aliceFirst ? events : [...events].reverse()) story.take(event);
        return story.deal!.state;
      });
      assert.deepEqual(ends, [row['Both end'], row['Both end']]);
    });

  for (const row of tableUnder('deals.md', 'Timers'))
    it(`${row['Story']}: next ${row['Next timer']}`, () => {
      const { deal, now } = Story.told(row['Story']!);
      const timer = nextTimer(deal!);
      assert.equal(timer?.kind ?? 'none', row['Next timer']);
      if (!timer) return assert.ok(deal!.final);
      const [, count, unit] = /^(\d+)(s|min|h|d)$/.exec(row['After']!)!;
      const expected = Number(count) * UNITS[unit as keyof typeof UNITS];
      assert.ok(Math.abs(timer.at - now - expected) < 10_000, `after ${(timer.at - now) / UNITS.h} h`);
    });

  it('refuses to send what is lawful only as a crossing', () => {
    for (const [known, mine] of [
      ['alice proposes 5, alice rejects', 'bob accepts'],
      ['alice proposes 5, bob accepts', 'alice rejects'],
      ['alice proposes 5, alice rejects', 'bob counters 6'],
      ['alice proposes 5, alice rejects', 'alice rejects'],
    ] as const) {
      const story = Story.told(known);
      const event = story.eventOf(mine) as MessageEvent;
      const step = attempt(story.deal!, event);
      assert.ok(!step.ok && step.code === 'invalid_transition', mine);
    }
  });
});
