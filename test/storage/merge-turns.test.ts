import assert from 'node:assert/strict';
import type { OpenFile } from '../../adapters/storage-lowdb/disk.ts';
import { LayerWriter } from '../../adapters/storage-lowdb/layers/layer-writer.ts';
import { MemoryLayer } from '../../adapters/storage-lowdb/layers/memory-layer.ts';
import { mergeLayers } from '../../adapters/storage-lowdb/layers/merge.ts';

const DOCUMENTS = 4_000;
/** Documents that may go into a file before others have a turn. */
const MOST = 128;

/** A file that is written at once, so that nobody has a turn because of it. */
const file = { write: async () => {}, datasync: async () => {} } as unknown as OpenFile;

describe('a merge of layers', () => {
  it('gives others a turn after a number of documents, however fast it is', async () => {
    const layer = new MemoryLayer();
    for (let n = 0; n < DOCUMENTS; n += 1)
      layer.set('d\0c', `${n}`.padStart(8, '0'), { version: 1, expires: 0, entries: [], value: 'x' }, false);
    let turns = 0;
    let over = false;
    const look = () => {
      turns += 1;
      if (!over) setImmediate(look);
    };
    setImmediate(look);
    await mergeLayers([layer], new LayerWriter(file), { isFiltered: () => true, forgottenOf: () => undefined });
    over = true;
    assert.ok(turns >= DOCUMENTS / MOST - 1, `${turns} turns while ${DOCUMENTS} documents were written`);
  });
});
