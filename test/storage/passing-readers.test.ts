import assert from 'node:assert/strict';
import { type Disk, localDisk } from '../../adapters/storage-lowdb/disk.ts';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { Block, BlockWriter } from '../../adapters/storage-lowdb/layers/block.ts';
import { BlockCache, type BlockSource } from '../../adapters/storage-lowdb/layers/block-cache.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { StoreDirectory } from './directory.ts';

/** A file of blocks of 64 KiB, which tells which were read from it. */
function sourceOf(): BlockSource & { readonly read: number[] } {
  const read: number[] = [];
  return {
    ...{ id: 1, retired: false, read },
    async load(block) {
      read.push(block);
      const writer = new BlockWriter();
      const value = 'x'.repeat(64 * 1024);
      writer.add(`${block}`, 1, { version: 1, expires: Number.POSITIVE_INFINITY, entries: [], value });
      const bytes = Buffer.alloc(writer.length);
      assert.equal(writer.take(bytes, 0), bytes.length);
      return Block.read(bytes)!;
    },
  };
}

/** So many documents of this size are more than a store keeps decoded. */
const MANY = 3_000;
const FILLING = 'x'.repeat(2_000);

describe('a reader that goes through everything', () => {
  it('pushes no blocks out of memory that others use, and reads none again at once', async () => {
    const cache = new BlockCache(1024 * 1024);
    const source = sourceOf();
    const keyOf = (block: number, once: boolean) => cache.run(() => cache.get(source, block).key(0), once);
    for (let block = 0; block < 4; block += 1) await keyOf(block, false);
    for (let block = 100; block < 200; block += 1) {
      assert.equal(await keyOf(block, true), `${block}`);
      await keyOf(block, true);
    }
    for (let block = 0; block < 4; block += 1) assert.equal(await keyOf(block, false), `${block}`);
    const passed = Array.from({ length: 100 }, (_, n) => 100 + n);
    assert.deepEqual(source.read, [0, 1, 2, 3, ...passed], 'each was read once');
    await keyOf(100, true);
    assert.equal(source.read.at(-1), 100, 'the first ones are let go');
  });

  it('has nothing decoded kept for it, where others look at the same documents again', async () => {
    let reads = 0;
    const disk: Disk = {
      ...localDisk,
      async open(path, mode) {
        const file = await localDisk.open(path, mode);
        return {
          ...file,
          read: (...of) => {
            reads += 1;
            return file.read(...of);
          },
        };
      },
    };
    const directory = await StoreDirectory.make();
    // A checkpoint follows each commit, and no block stays in memory.
    const sizes = { dir: directory.path, clock: systemClock, disk, checkpointBytes: 1, cacheBytes: 0 };
    const ids = Array.from({ length: MANY }, (_, n) => `${n}`);
    const store = lowdbStorage(sizes);
    await store.open();
    const effects = ids.map((id) => ({ kind: 'put', collection: 'c', id, value: id + FILLING, entries: [] }) as const);
    await store.commit({ checks: [], effects });
    await store.close();
    const again = lowdbStorage(sizes);
    await again.open();
    const asked = { collection: 'c', id: '0' };
    const passed = ids.slice(1).map((id) => ({ collection: 'c', id, once: true }));
    await again.read([asked]);
    for (let first = 0; first < passed.length; first += 100) await again.read(passed.slice(first, first + 100));
    reads = 0;
    assert.deepEqual(await again.read([asked]), [{ value: `0${FILLING}`, version: 1 }]);
    assert.equal(reads, 0, 'the one that was asked for before is still there');
    await again.read(passed.slice(-1));
    assert.ok(reads > 0, 'the last one that was passed is not');
    await again.close();
    await directory.remove();
  });
});
