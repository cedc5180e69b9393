import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localDisk } from '../../adapters/storage-lowdb/disk.ts';

describe('a file of the disk', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-disk-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('finishes the reads that had begun when it is closed, and begins none after that, whose number another file may have', async () => {
    await writeFile(join(folder, 'one'), Buffer.alloc(1_000_000, 1));
    const one = await localDisk.open(join(folder, 'one'), 'r');
    const begun = one.read(1_000_000, 0);
    const closed = one.close();
    const late = assert.rejects(one.read(1, 0), /the file is closed/);
    assert.deepEqual([(await begun).length, (await begun).every((byte) => byte === 1)], [1_000_000, true]);
    await Promise.all([closed, late]);
    await writeFile(join(folder, 'other'), 'other');
    const other = await localDisk.open(join(folder, 'other'), 'r');
    await assert.rejects(one.read(1, 0), /the file is closed/);
    await other.close();
  });
});
