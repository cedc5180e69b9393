import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { isFree, MeshProcess, ownPorts } from '../support/mesh-process.ts';
import { findRedis } from '../support/redis-server.ts';

describe('mesh dev --storage redis', function () {
  this.timeout(120_000);
  let folder: string;
  let env: Record<string, string> = {};
  const running: MeshProcess[] = [];

  before(function () {
    folder = mkdtempSync(join(tmpdir(), 'mesh-test-'));
    const program = findRedis();
    if (program) {
      // The program may be there under another name, as in Debian's redis-tools.
      const bin = join(folder, 'server');
      mkdirSync(bin);
      symlinkSync(program, join(bin, basename(program) === 'valkey-server' ? 'valkey-server' : 'redis-server'));
      env = { PATH: `${bin}${delimiter}${process.env['PATH']}` };
      return;
    }
    process.stdout.write('    mesh dev --storage redis is not tested: there is no redis-server on the PATH\n');
    this.skip();
  });

  afterEach(async () => {
    for (const mesh of running.splice(0)) {
      mesh.child.kill('SIGKILL');
      await mesh.ended;
    }
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  async function start(...args: string[]): Promise<MeshProcess> {
    const mesh = new MeshProcess(['dev', '--json', '--storage', 'redis', ...(await ownPorts()), ...args], { env });
    running.push(mesh);
    return mesh;
  }

  it('settles deals, and takes its server with it at the end', async () => {
    const mesh = await start('--deals', '1', '--data', join(folder, 'a'));
    assert.equal((await mesh.ended).code, 0, mesh.out + mesh.err);
    assert.ok(await isFree(await portOf(mesh)));
  });

  it('goes on after kill -9 with what was acknowledged, and no server is left behind', async () => {
    const data = join(folder, 'b');
    const first = await start('--data', data);
    const { conversation_id } = await first.event({ event: 'settled' });
    const port = await portOf(first);
    first.child.kill('SIGKILL');
    await first.ended;
    await closes(port);

    const second = await start('--data', data);
    const { requester } = await second.event({ event: 'ready' });
    const deal = await fetch(`${requester.url}/deals/${conversation_id}`);
    assert.equal(((await deal.json()) as { state: string }).state, 'settled');
    const last = await portOf(second);
    second.child.kill('SIGTERM');
    assert.equal((await second.ended).code, 0);
    await closes(last);
  });

  it('starts its server again when somebody kills it, and the deals go on', async () => {
    const mesh = await start('--data', join(folder, 'c'));
    await mesh.event({ event: 'settled' });
    const admin = new Redis(await portOf(mesh), '127.0.0.1', { lazyConnect: true, retryStrategy: null });
    const server = Number(/process_id:(\d+)/.exec(await admin.info('server'))![1]);
    admin.disconnect();
    process.kill(server, 'SIGKILL');
    const before = mesh.events.filter(({ event }) => event === 'settled').length;
    await mesh.event({ event: 'settled', settled: before + 2 });
    assert.match(mesh.err, /the redis-server ended; it is started again/);
    assert.equal((await mesh.stop()).code, 0, mesh.err);
    await closes(await portOf(mesh));
  });

  it('tells what its server says when that does not start', async () => {
    const files = join(folder, 'b', 'redis', 'appendonlydir');
    const log = join(files, readdirSync(files).find((name) => name.endsWith('.incr.aof'))!);
    const bytes = readFileSync(log);
    writeFileSync(log, bytes.fill('x', Math.floor(bytes.length / 3), Math.floor((2 * bytes.length) / 3)));
    const mesh = await start('--data', join(folder, 'b'));
    assert.equal((await mesh.ended).code, 2);
    assert.match(mesh.err, /did not start\. It said: .*Bad file format reading the append only file/s);
  });

  it('says what to install where there is no server', async () => {
    const path = join(folder, 'bin');
    mkdirSync(path);
    for (const tool of ['sh', 'cat', 'node'])
      symlinkSync(execFileSync('which', [tool], { encoding: 'utf8' }).trim(), join(path, tool));
    const mesh = new MeshProcess(['dev', '--storage', 'redis', ...(await ownPorts())], { env: { PATH: path } });
    running.push(mesh);
    assert.equal((await mesh.ended).code, 2);
    assert.match(mesh.err, /needs a redis-server: install it/);
  });
});

async function portOf(mesh: MeshProcess): Promise<number> {
  const { url } = mesh.events.find(({ event, name }) => event === 'started' && name === 'redis')!;
  return Number(new URL(url).port);
}

async function closes(port: number): Promise<void> {
  for (let tries = 0; !(await isFree(port)); tries++) {
    assert.ok(tries < 100, `port ${port} is still open`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
