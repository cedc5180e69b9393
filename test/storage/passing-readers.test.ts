import assert from 'node:assert/strict';
import { Block, BlockWriter } from '../../adapters/storage-lowdb/layers/block.ts';
import { BlockCache, type BlockSource } from '../../adapters/storage-lowdb/layers/block-cache.ts';

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
});
