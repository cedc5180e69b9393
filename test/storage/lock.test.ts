import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { processIdText } from '../../core/platform/process-id.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { StorageError } from '../../core/storage/adapter.ts';
import { StoreDirectory } from './directory.ts';

describe('the lock of a store', () => {
  let store: StoreDirectory;
  beforeEach(async () => {
    store = await StoreDirectory.make();
  });
  afterEach(() => store.remove());

  function lockedBy(pid: number) {
    return (error: unknown) =>
      error instanceof StorageError && error.fault === 'locked' && error.message.includes(`process ${pid} `);
  }

  async function lockText(): Promise<string> {
    const adapter = await store.open();
    const text = await readFile(store.file('lock'), 'utf8');
    await adapter.close();
    return text;
  }

  /** The lock that a living process would have written. */
  async function lockOf(pid: number): Promise<string> {
    const { boot } = JSON.parse(await lockText());
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    return JSON.stringify({ pid, boot, started: status.split(') ').at(-1)?.split(' ')[19] ?? '' });
  }

  it('refuses the same process a second time, until it is closed', async () => {
    const adapter = await store.open();
    await assert.rejects(store.open(), lockedBy(process.pid));
    await adapter.close();
    await (await store.open()).close();
    await assert.rejects(readFile(store.file('lock')), /ENOENT/);
  });

  it('lets one of many win who open at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => store.open()));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('refuses while another process lives, naming it, and takes over when it is dead', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(other, 'spawn');
    const lock = await lockOf(other.pid!);
    await writeFile(store.file('lock'), lock);
    await assert.rejects(store.open(), lockedBy(other.pid!));
    assert.equal(await readFile(store.file('lock'), 'utf8'), lock);
    other.kill('SIGKILL');
    await once(other, 'exit');
    await (await store.open()).close();
  });

  it('takes over from another boot, an earlier process of this pid, and from nonsense', async () => {
    const { boot, started } = JSON.parse(await lockText());
    const living = JSON.parse(await lockOf(process.ppid));
    for (const lock of [
      JSON.stringify({ ...living, boot: 'another' }),
      // Only where the system tells when a process began.
      ...(started ? [JSON.stringify({ pid: process.ppid, boot, started: '1' })] : []),
      JSON.stringify({ pid: process.pid, boot, started }),
      JSON.stringify({ pid: -1, boot, started }),
      '{"pid":',
      '',
    ]) {
      await writeFile(store.file('lock'), lock);
      assert.equal(JSON.parse(await lockText()).pid, process.pid, lock);
    }
    assert.deepEqual(await store.files(/lock/), []);
  });

  it('of a process that cannot be seen from here is told by its socket: refused while it listens, then taken over', async () => {
    const adapter = await store.open();
    const lock = JSON.parse(await readFile(store.file('lock'), 'utf8'));
    const { check: _, ...mark } = lock;
    const elsewhere = processIdText({ ...mark, pid: 1, space: 'pid:[1]' });
    await adapter.close();
    assert.deepEqual(await store.files(/lock/), []);
    const socket = createServer().listen(store.file(lock.socket));
    await once(socket, 'listening');
    await writeFile(store.file('lock'), elsewhere);
    await assert.rejects(
      store.open(),
      (error) => error instanceof StorageError && error.fault === 'locked' && /another container/.test(error.message),
    );
    // A process that was killed leaves the name of its socket behind.
    await rename(store.file(lock.socket), store.file('kept'));
    socket.close();
    await rename(store.file('kept'), store.file(lock.socket)).catch(() => {});
    await (await store.open()).close();
    assert.deepEqual(await store.files(/lock/), []);
  });

  it('listens while it is held, and can be asked from everywhere the directory is seen', async () => {
    const adapter = await store.open();
    const text = await readFile(store.file('lock'), 'utf8');
    const { check: _, ...mark } = JSON.parse(text);
    await writeFile(store.file('lock'), processIdText({ ...mark, space: 'pid:[1]' }));
    await symlink(store.path, `${store.path}-too`);
    const other = lowdbStorage({ dir: `${store.path}-too`, clock: systemClock });
    await assert.rejects(other.open(), { fault: 'locked' });
    await writeFile(store.file('lock'), text);
    await adapter.close();
    await rm(`${store.path}-too`);
  });

  it('of a living process is respected whatever bit of it flips, and the damaged file is named', async () => {
    const socket = 'lock.0123456789ab.tmp';
    const server = createServer().listen(store.file(socket));
    await once(server, 'listening');
    const whole = Buffer.from(processIdText({ ...JSON.parse(await lockOf(process.ppid)), socket }));
    const said = { damaged: 0, other: 0 };
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      await writeFile(store.file('lock'), flipped);
      const error = await store.open().catch((refusal) => refusal);
      assert.equal(error.fault, 'locked', `bit ${bit}: ${error}`);
      said[
        /lock, which names the process that uses this store, is damaged/.test(error.message) ? 'damaged' : 'other'
      ]++;
      assert.deepEqual(await readFile(store.file('lock')), flipped);
    }
    assert.ok(said.other <= 8 * 'check'.length, JSON.stringify(said));
    server.close();
  });

  it('is given back when the store turns out to be damaged', async () => {
    await writeFile(store.file('journal-1'), 'damaged');
    for (let tries = 0; tries < 2; tries++) {
      await assert.rejects(store.open(), (error) => error instanceof StorageError && error.fault === 'corrupt');
    }
  });
});
