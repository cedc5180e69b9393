import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { eventually } from '../support/eventually.ts';
import { freePort, isFree, MeshProcess } from '../support/mesh-process.ts';
import { killGroup, processesOfGroup } from '../support/process-group.ts';

describe('a node under an operator', function () {
  this.timeout(90_000);
  const started: MeshProcess[] = [];
  let folder = '';
  let config = '';
  let port = 0;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    config = join(folder, 'plugins.json');
    port = await freePort();
    await configure({});
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((mesh) => mesh.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  const configure = (settings: object) =>
    writeFile(config, JSON.stringify({ listen: `127.0.0.1:${port}`, dataDir: './data', plugins: {}, ...settings }));

  async function start(args: readonly string[] = [], options = {}): Promise<MeshProcess> {
    const mesh = new MeshProcess(['start', '--config', config, ...args], options);
    started.push(mesh);
    await mesh.until(() => mesh.err.includes(`:${port}\n`), 'the boot report');
    return mesh;
  }

  function startByNpm(): MeshProcess {
    const npm = new MeshProcess(['run', '--silent', 'mesh', '--', 'start', '--config', config], { by: 'npm' });
    started.push(npm);
    return npm;
  }

  /** `fetch` may not set Host; this may. */
  function status(path: string, headers: Record<string, string>): Promise<number> {
    return new Promise((resolve, reject) => {
      request({ port, path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      })
        .once('error', reject)
        .end();
    });
  }

  it('leaves nothing behind when the npm that started it is asked to end, and prints its report once', async () => {
    const npm = startByNpm();
    await npm.until(() => npm.err.includes(`:${port}\n`), 'the boot report');
    await npm.until(() => npm.out.includes('"ready"'), 'the log');
    const lines = npm.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(Object.keys(lines.find(({ msg }) => msg === 'ready')), [
      ...['level', 'time', 'profile', 'version', 'url', 'msg'],
    ]);
    assert.equal(npm.err.split('negotiation (core)').length, 2);
    npm.child.kill('SIGTERM');
    await eventually(async () => processesOfGroup(npm.pid).length === 0);
    assert.ok(await isFree(port));
  });

  const moments: Record<string, (npm: MeshProcess) => boolean> = {
    serves: (npm) => npm.err.includes(`:${port}\n`),
    boots: () => existsSync(join(folder, 'data')),
  };
  for (const [moment, isThere] of Object.entries(moments))
    it(`ends when that npm was killed while it ${moment}`, async () => {
      const npm = startByNpm();
      await npm.until(() => isThere(npm), moment);
      process.kill(npm.pid, 'SIGKILL');
      await eventually(async () => processesOfGroup(npm.pid).length === 0);
      assert.ok(await isFree(port));
    });

  it('goes on when who started its npm has logged out, and no shell is between the two', async () => {
    const command = `npm run --script-shell=bash --silent mesh -- start --config ${config} & wait`;
    const login = spawn('sh', ['-c', command], { cwd: packageRoot, detached: true, stdio: 'ignore' });
    try {
      const isReady = () =>
        status('/ready', {})
          .then((code) => code === 200)
          .catch(() => false);
      await eventually(isReady);
      process.kill(login.pid!, 'SIGKILL');
      // Longer than two looks at the parents.
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      assert.ok(await isReady());
      const npm = processesOfGroup(login.pid!).find((pid) =>
        /^npm /.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
      );
      process.kill(npm!, 'SIGKILL');
      await eventually(async () => processesOfGroup(login.pid!).length === 0);
    } finally {
      killGroup(login.pid!);
      await eventually(() => processesOfGroup(login.pid!).length === 0);
    }
  });

  it('reads its configuration again at SIGHUP, and says what needs a restart', async () => {
    const mesh = await start();
    const before = await readFile(join(folder, 'data', 'api-secret'), 'utf8');
    const rotated = 'another-secret-for-this-node';
    await writeFile(join(folder, 'secret'), rotated);
    await configure({
      log: { level: 'debug' },
      api: { secret: { $file: 'secret' } },
      network: { id: 'later' },
      agent: { name: 'renamed' },
    });
    mesh.child.kill('SIGHUP');
    await mesh.until(() => mesh.out.includes('the configuration was reloaded'), 'the reload');
    const told = linesOf(mesh).find(({ msg }) => msg === 'the configuration was reloaded')!;
    assert.deepEqual(told['changed'], ['log.level', 'api.secret']);
    assert.deepEqual([...told['restart']].sort(), ['agent.name', 'network.id']);
    assert.ok(!mesh.out.includes(rotated));
    const call = (secret: string) => status('/metrics', { authorization: `Bearer ${secret.trim()}` });
    assert.deepEqual([await call(rotated), await call(before)], [200, 401]);
    await mesh.until(() => mesh.out.includes('"answered"'), 'lines for debugging');

    await configure({ log: { level: 'loud' } });
    mesh.child.kill('SIGHUP');
    await mesh.until(() => mesh.out.includes('was not reloaded'), 'the refusal');
    assert.match(mesh.out, /must be one of debug, info, warn, error, silent/);
    assert.equal(await status('/ready', {}), 200);
    assert.equal((await mesh.stop('SIGTERM')).code, 0);
  });

  it('listens to others with a secret of its own, for its owner alone, and says where it is', async () => {
    const mesh = await start(['--api-addr', `0.0.0.0:${port}`]);
    const file = join(folder, 'data', 'api-secret');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.match(
      mesh.err,
      new RegExp(`^ {2}api: from other machines the owner’s calls need the secret in ${file}$`, 'm'),
    );
    assert.ok(!mesh.err.includes((await readFile(file, 'utf8')).trim()));
  });

  it('as an aggregator asks for none, and says which route needs the one it has made', async () => {
    const mesh = await start(['--profile', 'aggregator', '--api-addr', `0.0.0.0:${port}`]);
    assert.match(
      mesh.err,
      /^ {2}api: from other machines GET \/metrics and POST \/registry\/8004\/register-local need the secret in .*api-secret$/m,
    );
    assert.equal(await status('/agents', { host: 'aggregator:24180' }), 200);
  });

  it('tells health and readiness under any name, but takes no other call under it', async () => {
    await start();
    const host = 'aggregator:24180';
    assert.deepEqual([await status('/health', { host }), await status('/ready?x=1', { host })], [200, 200]);
    const secret = (await readFile(join(folder, 'data', 'api-secret'), 'utf8')).trim();
    assert.equal(await status('/metrics', { host, authorization: `Bearer ${secret}` }), 200);
    // A page of another name that leads here is no caller of this machine.
    assert.equal(await status('/metrics', { host }), 401);
    for (const path of ['/identity', '/healthy', '/ready/x', '/docs'])
      assert.equal(await status(path, { host }), 421, path);
    await started[0]!.stop();
    await start(['--api-hosts', 'aggregator']);
    assert.equal(await status('/identity', { host }), 200);
  });

  it('writes its log for people with --log-format pretty', async () => {
    const mesh = await start(['--log-format', 'pretty'], { env: { NODE_HUB: '1' } });
    await mesh.until(() => mesh.out.includes('ready'), 'the log');
    assert.match(
      mesh.out,
      /^\d\d:\d\d:\d\d\.\d{3} info {2}ready profile=node version=\S+ url=http:\/\/127\.0\.0\.1:\d+$/m,
    );
    assert.match(
      mesh.out,
      /^\S+ warn {2}NODE_HUB is no variable of a node and has no effect; did you mean NODE_HUBS\?/m,
    );
    assert.match(mesh.err, /^ {2}warning: NODE_HUB: is no variable/m);
  });

  it('tells what it costs and what it is', async () => {
    const mesh = await start();
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    assert.match(text, /^mesh_build_info\{version="\d+\.\d+\.\d+",profile="node",node="\d+\.\d+\.\d+"\} 1$/m);
    assert.ok(value('process_cpu_seconds_total') > 0);
    assert.ok(value('process_resident_memory_bytes') > 10_000_000);
    assert.ok(Math.abs(value('process_start_time_seconds') - Date.now() / 1_000) < 60);
    assert.ok(value('mesh_disk_free_bytes') >= 0);
    if (existsSync('/proc/self/fd')) {
      const open = readdirSync(`/proc/${mesh.pid}/fd`).length;
      assert.ok(Math.abs(value('process_open_fds') - open) <= 8, `${value('process_open_fds')} of ${open}`);
      assert.ok(value('process_max_fds') >= value('process_open_fds'));
    }
  });
});

function linesOf(mesh: MeshProcess): Record<string, any>[] {
  return mesh.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
