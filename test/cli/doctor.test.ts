import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalnet } from '../../adapters/localnet/localnet.ts';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { engineFinding } from '../../core/cli/doctor/machine.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { freePort } from '../support/mesh-process.ts';
import { mesh } from './terminal.ts';

interface Finding {
  readonly state: string;
  readonly name: string;
  readonly text: string;
  readonly remedy?: string;
}

describe('mesh doctor', function () {
  this.timeout(90_000);
  let folder = '';
  let config = '';
  let port = 0;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    config = join(folder, 'plugins.json');
    port = await freePort();
    await writeFile(config, JSON.stringify({ listen: `127.0.0.1:${port}`, dataDir: './data', plugins: {} }));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function findings(code: number, ...flags: string[]): Promise<Record<string, Finding>> {
    const result = await mesh(['doctor', '--json', '--config', config, ...flags]);
    assert.equal(result.code, code, result.out);
    const { ok, findings } = JSON.parse(result.out) as { ok: boolean; findings: Finding[] };
    assert.equal(ok, code === 0);
    return Object.fromEntries(findings.map((finding) => [finding.name, finding]));
  }

  it('finds nothing wrong with a machine that can run a mesh', async () => {
    const found = await findings(0);
    assert.deepEqual(Object.keys(found), [
      ...['node', 'configuration', 'data', 'disk', 'port', 'store', 'hubs', 'wallet', 'clock', 'ledger', 'redis'],
    ]);
    assert.equal(found['ledger']!.state, 'ok');
    const { code, out } = await mesh(['doctor', '--config', config]);
    assert.equal(code, 0);
    assert.match(out, /^ok {2,}node {2,}agent-mesh \S+ on Node\.js /m);
  });

  it('does not mind that the engine of mesh dev was left out, as docs/operate.md installs it', async () => {
    const { state, text } = await engineFinding(() => Promise.reject(new Error('The engine is not installed.')));
    assert.equal(state, 'warn');
    assert.match(text, /^The engine is not installed\. Only mesh dev and mesh localnet need it\.$/);
  });

  it('does not mind that there is no redis-server', async () => {
    assert.equal((await findings(0))['redis']!.state, 'warn');
  });

  it('names a busy port and its flag', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(port, '127.0.0.1', resolve));
    try {
      const { text, remedy } = (await findings(1))['port']!;
      assert.equal(`${text}; ${remedy}`, `127.0.0.1:${port} is busy; choose another with --api-addr`);
    } finally {
      blocker.close();
    }
  });

  it('names a damaged file of the store, what it holds and what helps, and changes nothing', async () => {
    const dir = join(folder, 'data', 'store');
    const store = lowdbStorage({ dir, clock: systemClock });
    await store.open();
    for (let n = 0; n < 9; n++) {
      await store.commit({ checks: [], effects: [{ kind: 'append', log: 'l', value: `${n}`, postings: [] }] });
    }
    await store.close();
    assert.equal((await findings(0))['store']!.state, 'ok');
    const journal = await readFile(join(dir, 'journal-1'));
    journal[40]! ^= 1;
    await writeFile(join(dir, 'journal-1'), journal);
    assert.match(
      (await findings(1))['store']!.text,
      /journal-1, which holds the newest commits, is damaged at byte 0\. Nothing was changed\. Restore .*mesh restore FOLDER/,
    );
    assert.deepEqual(await readFile(join(dir, 'journal-1')), journal);
    assert.deepEqual(await readdir(dir), ['journal-1']);
  });

  it('names a disk without room (skipped where no file system is full from the start)', async function () {
    if (process.platform !== 'linux') this.skip();
    // The file system of processes has no block that is free, whatever machine this is.
    const { state, text, remedy } = (await findings(1, '--data-dir', '/proc/mesh'))['disk']!;
    assert.deepEqual(
      [state, text, remedy],
      ['fail', '0.0 MiB are free on the disk of /proc/mesh', 'make room: the node takes no calls that write'],
    );
  });

  it('names a secret that others can read', async () => {
    await mkdir(join(folder, 'data'));
    const secret = join(folder, 'data', 'api-secret');
    await writeFile(secret, 'a-secret-for-tests-only');
    await chmod(secret, 0o644);
    const { text, remedy } = (await findings(1))['data']!;
    assert.equal(`${text}; ${remedy}`, `${secret} can be read by others; run: chmod 600 ${secret}`);
  });

  it('names a data folder that is a file', async () => {
    await writeFile(join(folder, 'data'), '');
    assert.match((await findings(1))['data']!.text, /is no folder$/);
  });

  it('asks each RPC that a start would use', async () => {
    const [net, other] = [await startLocalnet({ log: silentLog }), await startLocalnet({ log: silentLog })];
    const [host, gone] = [new URL(net.url).host, `127.0.0.1:${await freePort()}`];
    try {
      const well = await findings(0, '--rpc-url', net.url);
      assert.deepEqual(well['rpc 1'], { state: 'ok', name: 'rpc 1', text: `${host} answers, cluster localnet` });
      const away = await findings(1, '--rpc-url', net.url, '--rpc-url', `http://${gone}/?api-key=secret`);
      assert.equal(away['rpc 1']!.state, 'ok');
      assert.equal(
        away['rpc 2']!.text,
        `Nothing answers at ${gone}. The node cannot start without it: check --rpc-url.`,
      );
      const apart = await findings(1, '--rpc-url', net.url, '--rpc-url', other.url);
      assert.match(apart['rpc 2']!.text, /is of another cluster than the first RPC/);
    } finally {
      await net.stop();
      await other.stop();
    }
  });

  it('names what is wrong with the configuration', async () => {
    assert.match((await findings(1, '--log-level', 'loud'))['configuration']!.text, /log\.level/);
  });
});
