import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { openBlobDirectory } from '../../core/storage/blob-directory.ts';
import { blobsContract, cidOf, filling, hasFault, MEBIBYTE, parts } from '../contract/blobs.ts';

const ports = { clock: systemClock, random: systemRandom };

async function filesBelow(dir: string): Promise<string[]> {
  const found = await readdir(dir, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

function pathOf(dir: string, cid: string): string {
  return join(dir, cid.slice(0, 2), cid.slice(2, 4), cid);
}

blobsContract(
  'a directory',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'mesh-blobs-'));
    return {
      blobs: await openBlobDirectory({ dir, ...ports }),
      async damage(cid, edit) {
        await writeFile(pathOf(dir, cid), edit(await readFile(pathOf(dir, cid))));
      },
      list: () => filesBelow(dir),
      reopen: () => openBlobDirectory({ dir, ...ports }),
      destroy: () => rm(dir, { recursive: true }),
    };
  },
  { describe, it, beforeEach, afterEach },
);

describe('a directory of blobs', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mesh-blobs-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('keeps a blob two levels deep, for its owner only', async () => {
    const blobs = await openBlobDirectory({ dir, ...ports });
    const { cid } = await blobs.put(parts(filling(10)), 10);
    assert.equal((await stat(pathOf(dir, cid))).mode & 0o777, 0o600);
    assert.equal((await stat(join(dir, cid.slice(0, 2)))).mode & 0o777, 0o700);
  });

  it('removes at start what a killed process was writing, unless others may still be at it', async () => {
    const uploads = join(dir, 'uploads');
    await mkdir(uploads);
    await writeFile(join(uploads, 'old'), 'x');
    await writeFile(join(uploads, 'new'), 'x');
    await utimes(join(uploads, 'old'), 1_000, 1_000);
    await openBlobDirectory({ dir, ...ports, staleAfter: 3_600_000 });
    assert.deepEqual(await readdir(uploads), ['new']);
    await openBlobDirectory({ dir, clock: { now: () => Date.now() + 1_000 }, random: systemRandom });
    assert.deepEqual(await readdir(uploads), []);
  });

  it('keeps nothing of an HTTP upload whose client goes away', async () => {
    const blobs = await openBlobDirectory({ dir, ...ports });
    const server = createServer();
    const outcome = new Promise<unknown>((resolve) => {
      server.once('request', (incoming) => blobs.put(incoming, MEBIBYTE).then(resolve, resolve));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const upload = request({ port, method: 'POST', headers: { 'content-length': 500_000 } });
    upload.on('error', () => {});
    upload.write(filling(200_000));
    while ((await filesBelow(dir)).length === 0) await systemClock.sleep(5);
    upload.destroy();
    assert.match(String(await outcome), /aborted/);
    assert.deepEqual(await filesBelow(dir), []);
    server.close();
  });

  it('says that the disk is full, keeps nothing, and takes what fits', async function () {
    if (process.platform === 'win32') return this.skip();
    const script = `
      import { openBlobDirectory } from './core/storage/blob-directory.ts';
      import { systemClock as clock, systemRandom as random } from './core/platform/system-clock.ts';
      const blobs = await openBlobDirectory({ dir: process.env.BLOBS, clock, random });
      async function* zeros(count) { for (let i = 0; i < count; i++) yield Buffer.alloc(65536); }
      const fault = await blobs.put(zeros(32), 1e9).catch((error) => error.fault);
      const { size } = await blobs.put(zeros(2), 1e9);
      process.stdout.write(fault + ' ' + size);`;
    const limited = `trap '' XFSZ; ulimit -f 1024; exec "$0" "$@"`;
    const args = [process.execPath, '--import', 'ts-blank-space/register', '--input-type=module', '-e', script];
    const env = { ...process.env, BLOBS: dir };
    const cwd = join(import.meta.dirname, '../..');
    assert.equal(execFileSync('sh', ['-c', limited, ...args], { cwd, env, encoding: 'utf8' }), 'full 131072');
    assert.deepEqual(await filesBelow(dir), [cidOf(Buffer.alloc(131_072))]);
  });

  it('tells its place when it cannot be made or written', async () => {
    await writeFile(join(dir, 'taken'), '');
    await assert.rejects(
      openBlobDirectory({ dir: join(dir, 'taken'), ...ports }),
      (error) => hasFault('unavailable')(error) && /taken/.test(String(error)),
    );
    const blobs = await openBlobDirectory({ dir: join(dir, 'blobs'), ...ports });
    await rm(join(dir, 'blobs'), { recursive: true });
    await assert.rejects(blobs.put(parts(filling(10)), 10), hasFault('unavailable'));
  });
});
