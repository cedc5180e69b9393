import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Disk, localDisk } from '../../adapters/storage-lowdb/disk.ts';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { OpenFiles } from '../../adapters/storage-lowdb/open-files.ts';
import { systemClock as clock } from '../../core/platform/system-clock.ts';

/** This machine's disk, which tells how often each file was read and opened for reading, and which of them are open. */
function watchedDisk() {
  const read: string[] = [];
  const opened: string[] = [];
  const open: string[] = [];
  const disk: Disk = {
    ...localDisk,
    async open(path, mode) {
      const file = await localDisk.open(path, mode);
      if (mode !== 'r') return file;
      const name = basename(path);
      opened.push(name);
      open.push(name);
      return {
        ...file,
        read(...part) {
          read.push(name);
          return file.read(...part);
        },
        async close() {
          open.splice(open.indexOf(name), 1);
          await file.close();
        },
      };
    },
  };
  return { disk, read, opened, open };
}

describe('old records of a store of files', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'old-records-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('are read from files that stay open, and come as they were written, whatever is in them', async () => {
    const { disk, opened, open } = watchedDisk();
    const adapter = lowdbStorage({ dir, clock, disk, checkpointBytes: 1, segmentRecords: 40, hotRecords: 2 });
    await adapter.open();
    // Each looks like the line of another one, once it is text in text.
    const value = (id: number) => JSON.stringify({ note: `\n[${id + 1},[],"€"]\n`, id });
    // Each ends like the list of all postings, once it is text.
    const postings = ['a],', '"],"', '\\'];
    for (let id = 1; id <= 200; id += 1)
      await adapter.commit({ checks: [], effects: [{ kind: 'append', log: 'told', value: value(id), postings }] });
    opened.length = 0;
    for (let round = 0; round < 3; round += 1) {
      for (let id = 190; id > 0; id -= 7) {
        const [row] = await adapter.page({ log: 'told', before: id + 1, limit: 1 });
        assert.deepEqual(row, { id, value: value(id) });
      }
    }
    const segments = opened.filter((name) => name.startsWith('segment-'));
    assert.ok(segments.length >= 4, `${segments}`);
    assert.equal(new Set(segments).size, segments.length, 'none was opened twice');
    const held = open.filter((name) => name.startsWith('segment-')).length;
    await adapter.commit({ checks: [], effects: [{ kind: 'trim', log: 'told', upTo: 150 }] });
    await adapter.commit({ checks: [], effects: [{ kind: 'append', log: 'told', value: '1', postings: [] }] });
    await adapter.close();
    assert.ok(held >= 4);
    assert.deepEqual(open, []);
  });

  it('are cut out of a block once each, and their values stay for longer than the block', async () => {
    const { disk, read } = watchedDisk();
    const adapter = lowdbStorage({ dir, clock, disk, checkpointBytes: 1, segmentRecords: 1_000, hotRecords: 1 });
    await adapter.open();
    // More blocks than are kept as a whole, of which each has one record of the page.
    const value = (id: number) => JSON.stringify({ id, note: '"],"\\n'.repeat(20), filling: 'x'.repeat(32 * 1024) });
    const few = (id: number) => (id % 32 === 5 ? ['few'] : []);
    for (let first = 1; first <= 640; first += 32) {
      const effects = Array.from({ length: 32 }, (_, n) => {
        const id = first + n;
        return { kind: 'append' as const, log: 'told', value: value(id), postings: few(id) };
      });
      await adapter.commit({ checks: [], effects });
    }
    const page = (limit: number) => adapter.page({ log: 'told', posting: 'few', limit });
    const expected = Array.from({ length: 20 }, (_, n) => 613 - 32 * n).map((id) => ({ id, value: value(id) }));
    assert.deepEqual(await page(20), expected);
    for (let before = 641; before > 1; before -= 32) await adapter.page({ log: 'told', before, limit: 32 });
    read.length = 0;
    assert.deepEqual(await page(20), expected);
    assert.deepEqual(
      read.filter((name) => name.startsWith('segment-')),
      [],
      'a reader of everything has pushed none of them out',
    );
    await adapter.commit({ checks: [], effects: [{ kind: 'trim', log: 'told', upTo: 300 }] });
    await adapter.commit({ checks: [], effects: [{ kind: 'append', log: 'told', value: '1', postings: [] }] });
    assert.deepEqual(
      await page(20),
      expected.filter(({ id }) => id > 300),
    );
    await adapter.close();
  });

  it('are read again when their values had to go, and a flipped bit is named then', async () => {
    const { disk, read } = watchedDisk();
    const sizes = { checkpointBytes: 1, segmentRecords: 10_000, hotRecords: 1, recordBytes: 64 * 1024 };
    const adapter = lowdbStorage({ dir, clock, disk, ...sizes });
    await adapter.open();
    const value = (id: number) => JSON.stringify({ id, filling: 'x'.repeat(16 * 1024) });
    for (let first = 1; first <= 640; first += 32) {
      const effects = Array.from({ length: 32 }, (_, n) => ({
        ...{ kind: 'append' as const, log: 'told', value: value(first + n), postings: [] },
      }));
      await adapter.commit({ checks: [], effects });
    }
    const one = async (id: number) => (await adapter.page({ log: 'told', before: id + 1, limit: 1 }))[0]?.value;
    for (let id = 1; id <= 600; id += 16) assert.equal(await one(id), value(id));
    read.length = 0;
    for (let id = 1; id <= 600; id += 16) assert.equal(await one(id), value(id));
    assert.ok(read.filter((name) => name.startsWith('segment-')).length >= 15, 'neither values nor blocks had room');
    const path = join(dir, 'segment-1');
    const bytes = await readFile(path);
    bytes[bytes.indexOf('xxxx')]! ^= 1;
    await writeFile(path, bytes);
    await assert.rejects(one(1), /segment-1, which holds old records of a log, is damaged at byte 0/);
    await adapter.close();
  });

  it('keep no more files open than they may', async () => {
    const { disk, opened, open } = watchedDisk();
    const files = new OpenFiles(disk, 2);
    const paths = ['a', 'b', 'c'].map((name) => join(dir, name));
    for (const path of paths) await writeFile(path, `of ${basename(path)}`);
    const read = async (path: string) => (await files.read(path, 4, 0)).toString();
    assert.deepEqual(await Promise.all(paths.map(read)), ['of a', 'of b', 'of c'], 'also while the first is read');
    assert.deepEqual(open.sort(), ['b', 'c']);
    assert.equal(await read(paths[1]!), 'of b');
    assert.equal(await read(paths[0]!), 'of a');
    assert.deepEqual(open.sort(), ['a', 'b'], 'the one that was not read for longest is closed');
    assert.equal(opened.length, 4);
    await appendFile(paths[0]!, ' more');
    assert.equal((await files.read(paths[0]!, 9, 0)).toString(), 'of a more');
    await files.leave(paths[0]!);
    assert.deepEqual(open, ['b']);
    await files.close();
    assert.deepEqual(open, []);
    await assert.rejects(read(paths[0]!), /the store is closed/);
  });

  it('try a file again that could not be opened', async () => {
    const files = new OpenFiles(localDisk, 2);
    const path = join(dir, 'late');
    await assert.rejects(files.read(path, 4, 0), /ENOENT/);
    await writeFile(path, 'here');
    assert.equal((await files.read(path, 4, 0)).toString(), 'here');
    await files.close();
  });
});
