import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disk } from '../../adapters/storage-lowdb/disk.ts';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import { Dice, roundsOf } from './dice.ts';
import { randomLoss } from './random-loss.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { verify, write } from './workload.ts';

const COMMITS = 110;
const CUTS = roundsOf(60);
const SIZES = { checkpointBytes: 9_000, segmentRecords: 20, hotRecords: 5 };

describe('stores of earlier builds', function () {
  this.timeout(60_000);
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'mesh-formats-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  function unpack(name: string): string {
    execFileSync('tar', ['-xzf', join(import.meta.dirname, 'formats', `${name}.tar.gz`), '-C', home]);
    return join(home, name);
  }

  async function open(dir: string, disk?: Disk): Promise<StorageAdapter> {
    const adapter = lowdbStorage({ dir, clock: systemClock, ...SIZES, ...(disk && { disk }) });
    await adapter.open();
    return adapter;
  }

  for (const format of [1, 2, 3]) {
    for (const name of [`lowdb-${format}`, `lowdb-${format}-killed`]) {
      it(`${name} is opened, holds all it held, is of today's format then, and goes on`, async () => {
        const dir = unpack(name);
        const adapter = await open(dir);
        assert.equal(await verify(adapter), COMMITS);
        await adapter.close();
        const newest = (await readdir(dir)).filter((file) => /^snapshot-\d+$/.test(file));
        assert.equal(newest.length, 1);
        assert.match(await readFile(join(dir, newest[0]!), 'latin1'), /"format":3/);
        const again = await open(dir);
        assert.equal(await verify(again), COMMITS);
        await write(again, [COMMITS + 1, COMMITS + 200], new Dice(2));
        assert.equal(await verify(again), COMMITS + 200);
        await again.close();
        const last = await open(dir);
        assert.equal(await verify(last), COMMITS + 200);
        await last.close();
      });
    }

    it(`lowdb-${format} survives power cuts while it is brought to today's format (${CUTS} cuts)`, async () => {
      const dir = unpack(`lowdb-${format}`);
      const files = new Map<string, Buffer>();
      for (const file of await readdir(dir)) files.set(join(dir, file), await readFile(join(dir, file)));
      const disk = new SimulatedDisk(files);
      await (await open(dir, disk)).close();
      for (let cut = 0; cut < CUTS; cut++) {
        const dice = new Dice(cut);
        const after = new SimulatedDisk(disk.after(dice.below(disk.steps.length + 1), randomLoss(dice)));
        const adapter = await open(dir, after);
        assert.equal(await verify(adapter), COMMITS, `cut ${cut}`);
        await adapter.close();
      }
    });
  }
});
