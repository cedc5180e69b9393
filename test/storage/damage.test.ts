import assert from 'node:assert/strict';
import { appendFile, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { encodeFrame } from '../../adapters/storage-lowdb/frame.ts';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { StorageError } from '../../core/storage/adapter.ts';
import { countEvents, StoreDirectory, writeEvents } from './directory.ts';

/** Every bit where the variable is set; else every seventh, which leaves out no byte and no place within one. */
const STRIDE = process.env['MESH_TEST_ROUNDS'] ? 1 : 7;
const SMALL = { checkpointBytes: 4_000, segmentRecords: 20, hotRecords: 5 };

function isCorrupt(error: unknown): boolean {
  return error instanceof StorageError && error.fault === 'corrupt' && /Restore .* from a backup/.test(error.message);
}

async function flip(file: string, bit: number): Promise<void> {
  const handle = await open(file, 'r+');
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, bit >> 3);
  byte[0]! ^= 1 << (bit & 7);
  await handle.write(byte, 0, 1, bit >> 3);
  await handle.close();
}

describe('a damaged journal', () => {
  let store: StoreDirectory;
  let journal: string;
  /** Where the frame of each event ends. */
  let ends: number[];

  beforeEach(async () => {
    store = await StoreDirectory.make();
    journal = store.file('journal-1');
    const adapter = await store.open();
    ends = [];
    for (let n = 1; n <= 5; n++) {
      await writeEvents(adapter, n, n);
      ends.push((await stat(journal)).size);
    }
    await adapter.close();
  });
  afterEach(() => store.remove());

  /** Opens the store, writes one more event, and gives the number of events that were there. */
  async function goOn(): Promise<number> {
    const adapter = await store.open();
    const found = await countEvents(adapter);
    await writeEvents(adapter, found + 1, found + 1);
    assert.equal(await countEvents(adapter), found + 1);
    await adapter.close();
    return found;
  }

  it('cut at any byte of the last frames, keeps every whole frame and goes on from there', async () => {
    const bytes = await readFile(journal);
    for (let length = ends[1]!; length <= bytes.length; length++) {
      await writeFile(journal, bytes.subarray(0, length));
      assert.equal(await goOn(), ends.filter((end) => end <= length).length, `cut at ${length}`);
    }
  });

  it('cut at any byte and filled up with zeros, as a file system may leave it, too', async () => {
    const bytes = await readFile(journal);
    for (let length = ends[3]!; length <= ends[4]!; length += 3) {
      await writeFile(journal, Buffer.concat([bytes.subarray(0, length), Buffer.alloc(200)]));
      assert.equal(await goOn(), ends.filter((end) => end <= length).length, `cut at ${length}`);
    }
  });

  it('with any bit flipped in front of a good frame, refuses to start and leaves everything as it is', async () => {
    for (let bit = ends[3]! * 8; bit < ends[4]! * 8; bit += STRIDE) {
      await flip(journal, bit);
      const before = await readFile(journal);
      await assert.rejects(store.open(), isCorrupt, `bit ${bit}`);
      assert.deepEqual(await readFile(journal), before);
      await flip(journal, bit);
    }
    assert.equal(await goOn(), 5);
  });

  it('with any bit flipped in the very last frame, which was acknowledged, refuses to start and names it', async () => {
    const bytes = (await readFile(journal)).subarray(0, ends[4]);
    for (let bit = ends[3]! * 8; bit < ends[4]! * 8; bit += STRIDE) {
      await writeFile(journal, bytes);
      await flip(journal, bit);
      await assert.rejects(store.open(), (error) => isCorrupt(error) && String(error).includes(`at byte ${ends[3]}`));
    }
  });

  it('with any bit flipped in the empty frame of a clean end, has lost nothing', async () => {
    const bytes = await readFile(journal);
    for (let bit = ends[4]! * 8; bit < bytes.length * 8; bit++) {
      await writeFile(journal, bytes);
      await flip(journal, bit);
      const adapter = await store.open();
      assert.equal(await countEvents(adapter), 5, `bit ${bit}`);
      await adapter.close();
    }
  });

  it('torn while a later journal is there, even an empty one, has lost what was acknowledged and is refused', async () => {
    const bytes = await readFile(journal);
    await writeFile(store.file('journal-2'), '');
    for (const length of [ends[3]! + 7, ends[4]! - 3]) {
      await writeFile(journal, bytes.subarray(0, length));
      await assert.rejects(store.open(), isCorrupt, `cut at ${length}`);
    }
    await writeFile(journal, bytes.subarray(0, ends[4]));
    assert.equal(await goOn(), 5);
  });

  it('lacks a frame that nothing but its number tells of, and is refused', async () => {
    const other = await StoreDirectory.make();
    const adapter = await other.open();
    const sizes = [];
    for (let n = 0; n < 4; n++) {
      await adapter.commit({ checks: [], effects: [{ kind: 'add', counter: 'n', amount: 1n }] });
      sizes.push((await stat(other.file('journal-1'))).size);
    }
    await adapter.close();
    const bytes = await readFile(other.file('journal-1'));
    for (const part of [
      Buffer.concat([bytes.subarray(0, sizes[0]), bytes.subarray(sizes[1])]),
      bytes.subarray(sizes[0]),
      Buffer.concat([bytes.subarray(0, sizes[1]), bytes.subarray(sizes[0])]),
    ]) {
      await writeFile(other.file('journal-1'), part);
      await assert.rejects(other.open(), isCorrupt);
    }
    await other.remove();
  });

  it('is refused when it is garbage, goes on in garbage, lacks a frame or begins too late', async () => {
    const bytes = await readFile(journal);
    const cases = {
      garbage: Buffer.from('no journal at all\n'.repeat(10)),
      appended: Buffer.concat([bytes, Buffer.from('garbage')]),
      hole: Buffer.concat([bytes.subarray(0, ends[1]), bytes.subarray(ends[2])]),
      late: bytes.subarray(ends[0]),
    };
    for (const [name, content] of Object.entries(cases)) {
      await writeFile(journal, content);
      await assert.rejects(store.open(), isCorrupt, name);
    }
  });
});

describe('a damaged store', () => {
  let store: StoreDirectory;

  beforeEach(async () => {
    store = await StoreDirectory.make();
    const adapter = await store.open(SMALL);
    await writeEvents(adapter, 1, 150);
    await adapter.close();
  });
  afterEach(() => store.remove());

  const events = async () => {
    const adapter = await store.open(SMALL);
    try {
      return await countEvents(adapter);
    } finally {
      await adapter.close();
    }
  };

  it('is whole before it is damaged: journal, snapshot, layer, segments and sidecars', async () => {
    assert.equal((await store.files(/^journal-\d+$/)).length, 1);
    assert.equal((await store.files(/^snapshot-\d+$/)).length, 1);
    assert.ok((await store.files(/^layer-\d+$/)).length > 0);
    assert.ok((await store.files(/^segment-\d+$/)).length > 3);
    assert.ok((await store.files(/^segment-\d+\.index$/)).length > 3);
    assert.equal(await events(), 150);
  });

  it('refuses to start without a journal, a snapshot, a layer or a segment', async () => {
    for (const pattern of [/^journal-\d+$/, /^snapshot-\d+$/, /^layer-\d+$/, /^segment-\d+$/]) {
      const [name] = await store.files(pattern);
      const bytes = await readFile(store.file(name!));
      await rm(store.file(name!));
      await assert.rejects(store.open(SMALL), isCorrupt, name);
      await writeFile(store.file(name!), bytes);
    }
    assert.equal(await events(), 150);
  });

  it('refuses a snapshot with a flipped bit, cut short or continued', async () => {
    const [name] = await store.files(/^snapshot/);
    const file = store.file(name!);
    const bytes = await readFile(file);
    for (let bit = 0; bit < bytes.length * 8; bit += 61) {
      await flip(file, bit);
      await assert.rejects(store.open(SMALL), isCorrupt, `bit ${bit}`);
      await flip(file, bit);
    }
    for (const content of [bytes.subarray(0, -1), Buffer.alloc(0), Buffer.concat([bytes, Buffer.from('x')])]) {
      await writeFile(file, content);
      await assert.rejects(store.open(SMALL), isCorrupt);
    }
  });

  it('never shows anything of a layer in which a bit has flipped, and refuses one cut short or continued', async () => {
    const file = store.file((await store.files(/^layer-\d+$/)).at(-1)!);
    const bytes = await readFile(file);
    const found = { atStart: 0, atRead: 0 };
    for (let bit = 0; bit < bytes.length * 8; bit += 997) {
      await flip(file, bit);
      const adapter = await store.open(SMALL).catch((error) => (isCorrupt(error) ? undefined : Promise.reject(error)));
      // What the journal does not replace has to be read from the layer.
      if (adapter) await assert.rejects(countEvents(adapter), isCorrupt, `bit ${bit}`);
      found[adapter ? 'atRead' : 'atStart']++;
      await adapter?.close();
      await writeFile(file, bytes);
    }
    assert.ok(found.atRead > 0 && found.atStart > 0, JSON.stringify(found));
    for (const content of [bytes.subarray(0, -1), Buffer.alloc(0), Buffer.concat([bytes, Buffer.from('x')])]) {
      await writeFile(file, content);
      await assert.rejects(store.open(SMALL), isCorrupt);
    }
    await writeFile(file, bytes);
    assert.equal(await events(), 150);
  });

  it('refuses the format of another release and says so', async () => {
    const [name] = await store.files(/^snapshot/);
    await writeFile(store.file(name!), encodeFrame(1, JSON.stringify(['head', { format: 9, frames: 0, commits: 0 }])));
    await assert.rejects(
      store.open(SMALL),
      (error) => isCorrupt(error) && /format 9.*reads formats 1 to 3/.test(String(error)),
    );
  });

  it('makes sidecars again when they are missing, torn, damaged or foreign', async () => {
    const sidecars = await store.files(/index$/);
    const good = await readFile(store.file(sidecars[0]!));
    const foreign = await readFile(store.file(sidecars[1]!));
    const damaged = Buffer.from(good);
    damaged[30]! ^= 1;
    for (const content of [undefined, good.subarray(0, -1), damaged, foreign, Buffer.alloc(0)]) {
      if (content) await writeFile(store.file(sidecars[0]!), content);
      else await rm(store.file(sidecars[0]!));
      assert.equal(await events(), 150);
      assert.deepEqual(await readFile(store.file(sidecars[0]!)), good);
    }
  });

  it('refuses a segment that is too short, and a record that a flipped bit has changed', async () => {
    const [name] = await store.files(/^segment-\d+$/);
    const file = store.file(name!);
    const { size } = await stat(file);
    await flip(file, 8 * (size - 5));
    const adapter = await store.open(SMALL);
    await assert.rejects(adapter.page({ log: 'events', after: 0, limit: 1 }), isCorrupt);
    assert.equal((await adapter.page({ log: 'events', limit: 1 }))[0]?.id, 150);
    await adapter.close();
    await truncate(file, size - 1);
    await assert.rejects(store.open(SMALL), isCorrupt);
  });

  it('removes what a killed checkpoint left: temporary files, unknown segments, old journals and snapshots', async () => {
    for (const name of ['snapshot-900.tmp', 'layer-900', 'segment-900', 'segment-900.index'])
      await writeFile(store.file(name), 'rest');
    assert.equal(await events(), 150);
    assert.deepEqual(await store.files(/900|tmp/), []);
  });

  it('ignores what a killed checkpoint appended to the last segment', async () => {
    const last = (await store.files(/^segment-\d+$/)).sort((a, b) => Number(a.slice(8)) - Number(b.slice(8))).at(-1)!;
    await appendFile(store.file(last), 'the rest of a block');
    assert.equal(await events(), 150);
    const adapter = await store.open(SMALL);
    await writeEvents(adapter, 151, 300);
    await adapter.close();
    assert.equal(await events(), 300);
  });
});

describe('a new store', () => {
  it('overwrites a segment that a killed first checkpoint left behind', async () => {
    const store = await StoreDirectory.make();
    const adapter = await store.open(SMALL);
    await writeFile(
      store.file('segment-1'),
      'left by a checkpoint that was killed before its snapshot was renamed\n'.repeat(100),
    );
    await writeEvents(adapter, 1, 100);
    assert.equal(await countEvents(adapter), 100);
    await adapter.close();
    const again = await store.open(SMALL);
    assert.equal(await countEvents(again), 100);
    await store.remove();
  });

  it('refuses a directory that holds segments and nothing else', async () => {
    const store = await StoreDirectory.make();
    await writeFile(store.file('segment-1'), 'x');
    await assert.rejects(store.open(), isCorrupt);
    await store.remove();
  });

  it('tells its place, not a stack, when the directory cannot be made', async () => {
    const store = await StoreDirectory.make();
    await writeFile(store.file('taken'), '');
    const adapter = lowdbStorage({ dir: store.file('taken'), clock: systemClock });
    await assert.rejects(
      adapter.open(),
      (error) => error instanceof StorageError && error.fault === 'unavailable' && /taken/.test(error.message),
    );
    await store.remove();
  });
});
