import assert from 'node:assert/strict';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import { Dice, roundsOf } from './dice.ts';
import { StoreDirectory } from './directory.ts';
import { randomLoss } from './random-loss.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { commitOf, verify, write } from './workload.ts';

const CUTS = roundsOf(250);
const CUTS_PER_RUN = 50;
const COMMITS = 90;

describe(`${CUTS} power cuts at any step, torn at any byte, by seed (F2)`, function () {
  this.timeout(CUTS * 500);
  let home: StoreDirectory;
  beforeEach(async () => {
    home = await StoreDirectory.make();
  });
  afterEach(() => home.remove());

  async function open(disk: SimulatedDisk, dice: Dice): Promise<StorageAdapter> {
    const sizes = {
      checkpointBytes: dice.of([700, 3_000, 12_000]),
      segmentRecords: dice.of([5, 40]),
      hotRecords: dice.of([2, 30]),
    };
    const adapter = lowdbStorage({ dir: home.path, clock: systemClock, disk, ...sizes });
    await adapter.open();
    return adapter;
  }

  it('lose nothing acknowledged; the store opens by itself, holds whole commits only, and goes on', async () => {
    const found = { torn: 0, twice: 0, midCheckpoint: 0 };
    for (let run = 0; run * CUTS_PER_RUN < CUTS; run++) {
      const disk = new SimulatedDisk();
      const dice = new Dice(run);
      const adapter = await open(disk, dice);
      await write(adapter, [1, COMMITS], dice, (n) => disk.mark(n));
      const steps = dice.chance(0.5) ? disk.steps.length : Number.POSITIVE_INFINITY;
      await adapter.close();
      for (let cut = 0; cut < CUTS_PER_RUN; cut++) {
        const what = `run ${run}, cut ${cut}`;
        const own = new Dice(run * 1_000 + cut + 1);
        const at = own.below(Math.min(steps, disk.steps.length) + 1);
        const acknowledged = disk.steps.slice(0, at).reduce((last, s) => (s.kind === 'mark' ? s.value : last), 0);
        let after = new SimulatedDisk(disk.after(at, randomLoss(own)));
        if ((await after.list(home.path)).some((name) => name.endsWith('.tmp'))) found.midCheckpoint++;
        if (own.chance(0.2)) {
          // And again while it recovers, or just after it has gone on.
          const first = await open(after, own);
          await first.close();
          found.twice++;
          after = new SimulatedDisk(after.after(own.below(after.steps.length + 1), randomLoss(own)));
        }
        const again = await open(after, own).catch((error) => assert.fail(`${what}: ${error}`));
        if (after.steps.some(({ kind }) => kind === 'truncate')) found.torn++;
        const count = await verify(again).catch((error) => assert.fail(`${what}: ${error}`));
        assert.ok(count >= acknowledged, `${what}: ${count} of ${acknowledged} acknowledged commits`);
        await again.commit({ checks: [], effects: commitOf(count + 1) });
        assert.equal(await verify(again), count + 1, what);
        await again.close();
      }
    }
    assert.ok(found.torn > CUTS / 20 && found.twice > CUTS / 20 && found.midCheckpoint > 0, JSON.stringify(found));
  });
});
