import assert from 'node:assert/strict';
import { failed, type Outcome, playIngest, playModel } from './play.ts';
import {
  attacksTable,
  goalsTable,
  pageWith,
  playReported,
  REPORTED,
  readPage,
  reported,
  versionsTable,
} from './reported.ts';
import { type Studied, studied, summed } from './study.ts';
import { tableOf } from './tables.ts';
import { SIZES } from './world.ts';

const SEED = 1_001;

describe('attacks on the score', function () {
  this.timeout(600_000);

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

  it('through the same ingest and a ledger in memory come to the same, with seeds that nothing was chosen on', async () => {
    for (const seed of [4_001, 4_002]) {
      const outcome = await playIngest({ seed, size: SIZES.small, fast: true });
      assert.deepEqual(outcome.unlike, [], `seed ${seed}`);
      assert.equal(failed(outcome), false, tableOf(outcome));
      assert.ok(outcome.reports! > 1_000 && outcome.steps! > 100, JSON.stringify(outcome));
    }
  });

  it('in an economy as large as that of the prototype win nothing either, and come to what is reported', () => {
    const outcome = playModel({ seed: REPORTED[0]!, size: SIZES.full });
    assert.equal(failed(outcome), false, tableOf(outcome));
    const [first] = reported();
    const auc = Object.entries(first!.attacks).map(([attack, found]) => [attack, found['score 2']!.auc]);
    const found = outcome.rows.filter(({ attack }) => first!.attacks[attack]);
    const told = found.map(({ attack, auc }) => [attack, auc] as const);
    assert.deepEqual(told, auc, 'npm run sybil -- --write-docs');
    assert.equal(first!.goals['best score of a free ring'], 5);
  });

  it('stand in docs/reputation.md as they were played', () => {
    const all = reported();
    assert.ok(all.length >= 8);
    assert.deepEqual(
      all.map(({ seed }) => seed),
      REPORTED.slice(0, all.length),
    );
    assert.ok(readPage() === pageWith(readPage(), all), 'npm run sybil -- --write-docs');
    assert.ok(readPage().includes(attacksTable(all)));
  });

  it('are played in portions, of which an interruption loses one seed', () => {
    let kept: readonly Studied[] = [];
    const keep = (all: readonly Studied[]) => {
      kept = all;
    };
    const [one] = reported();
    const play = (seed: number): Studied => {
      if (seed === REPORTED[3]) throw new Error('interrupted');
      return { ...one!, seed };
    };
    assert.throws(() => playReported(play, kept, REPORTED.length, keep), /interrupted/);
    assert.deepEqual(
      kept.map(({ seed }) => seed),
      REPORTED.slice(0, 3),
    );
    const played: number[] = [];
    const note = (seed: number): Studied => {
      played.push(seed);
      return { ...one!, seed };
    };
    assert.equal(playReported(note, [...kept].reverse(), 2, keep), REPORTED.length - 5);
    assert.deepEqual(played, REPORTED.slice(3, 5));
    assert.equal(playReported(note, kept, REPORTED.length, keep), 0);
    assert.deepEqual(
      kept.map(({ seed }) => seed),
      REPORTED,
    );
  });

  it('are found to win where the score trusts everybody', () => {
    const outcome = playModel({ seed: SEED, size: SIZES.medium, anchors: ({ people }) => people.map(({ id }) => id) });
    const found = broken(outcome);
    for (const attack of ['own payer, unseen float 100', 'copy of the economy, unseen float', 'burn of 100'])
      assert.ok(found.includes(attack), found.join());
    assert.equal(failed(outcome), true);
    assert.match(tableOf(outcome), /copy of the economy.*BROKEN: score <= 9/);
  });

  it('are summed up by the worst of several seeds, for each version of the score', () => {
    const all = [SEED, SEED + 1].map((seed) => studied(seed, SIZES.medium));
    const free = summed(all).find(({ goal }) => goal === 'best score of a free ring')!;
    assert.deepEqual([free.worst, free.holds], [5, true]);
    assert.match(goalsTable(all), /best score of a free ring +\| 5 +\| 5 +\| 5 +\| \d+ +\| holds/);
    const ring = all[0]!.attacks['free ring of 20']!;
    assert.deepEqual([ring['score 2']!.detected, ring['mean']!.detected, ring['mean']!.place], [100, 0, 1]);
    assert.ok(ring['score 1']!.auc < 0.5, 'the formula before fell to free keys');
    assert.equal(all[0]!.honest['mean']!.place, 0);
    assert.match(versionsTable(all), /score 1 +\| \d/);
  });
});

function broken({ rows }: Outcome): string[] {
  return rows.filter((row) => row.broken.length > 0).map(({ attack }) => attack);
}
