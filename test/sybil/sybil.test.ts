import assert from 'node:assert/strict';
import { failed, type Outcome, playIngest, playModel } from './play.ts';
import { study } from './study.ts';
import { summaryOf, tableOf } from './tables.ts';
import { SIZES } from './world.ts';

const SEED = 1_001;

describe('attacks on the score', function () {
  this.timeout(300_000);

  it('through the real ingest and a real ledger win nothing that was promised, and come to what the model says', async () => {
    const outcome = await playIngest({ seed: SEED, size: SIZES.small });
    assert.deepEqual(outcome.unlike, []);
    assert.equal(failed(outcome), false, tableOf(outcome));
    // It is a play only when something happened.
    const row = (start: string) => outcome.rows.find(({ attack }) => attack.startsWith(start))!;
    assert.ok(outcome.reports! > 1_000 && outcome.steps! > 100, JSON.stringify(outcome));
    assert.ok(row('free ring of 6').best > 0 && row('smear: 20').drop > 0);
    assert.ok(row('a corrupt anchor').best > 50, 'what is not solved wins');
  });

  it('in an economy as large as that of the prototype win nothing either', () => {
    const outcome = playModel({ seed: SEED, size: SIZES.full });
    assert.equal(failed(outcome), false, tableOf(outcome));
  });

  it('are found to win where the score trusts everybody', () => {
    const outcome = playModel({ seed: SEED, size: SIZES.medium, anchors: ({ people }) => people.map(({ id }) => id) });
    const found = broken(outcome);
    for (const attack of ['own payer, unseen float 100', 'copy of the economy, unseen float', 'burn of 100'])
      assert.ok(found.includes(attack), found.join());
    assert.equal(failed(outcome), true);
    assert.match(tableOf(outcome), /copy of the economy.*BROKEN: score <= 9/);
  });

  it('are summed up by the worst of several seeds', () => {
    const summaries = study([SEED, SEED + 1], SIZES.medium, () => {});
    const free = summaries.find(({ goal }) => goal === 'best score of a free ring')!;
    assert.deepEqual([free.worst, free.holds], [5, true]);
    assert.match(summaryOf(summaries), /best score of a free ring +\| 5 +\| 5 +\| 5 +\| \d+ +\| holds/);
  });
});

function broken({ rows }: Outcome): string[] {
  return rows.filter((row) => row.broken.length > 0).map(({ attack }) => attack);
}
