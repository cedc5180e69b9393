import assert from 'node:assert/strict';
import { exec } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { parseJsonc } from '../../core/host/config/jsonc.ts';
import { freePort, MeshProcess, runMesh } from '../support/mesh-process.ts';

describe('mesh init', function () {
  this.timeout(90_000);
  let folder = '';
  const started: MeshProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((one) => one.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  it('makes a folder in which check, start, status, logs and config show work as they are', async () => {
    const made = await runMesh(['init', 'mine', '--name', 'first "one"', '--network-id', 'harbour'], { cwd: folder });
    assert.equal(made.code, 0, made.err);
    const cwd = join(folder, 'mine');
    assert.equal(
      made.out,
      `Made ${cwd}/plugins.json and ${cwd}/.gitignore. Next:\n  cd mine\n  mesh check\n  mesh start\n`,
    );
    const checked = await runMesh(['check'], { cwd });
    assert.equal(checked.code, 0, checked.err);
    const env = { NODE_API_ADDR: `127.0.0.1:${await freePort()}` };
    const node = new MeshProcess(['start'], { cwd, env });
    started.push(node);
    await node.until(() => /^node \S+ at http/m.test(node.err), 'the boot report');
    assert.equal(node.out, '');
    const status = await runMesh(['status'], { cwd, env });
    assert.equal(status.code, 0, status.err);
    assert.match(status.out, /^ {2}agent +\S+, first "one"$/m);
    assert.match(status.out, /^ {2}network +harbour, epoch \d+$/m);
    const logs = await runMesh(['logs'], { cwd });
    assert.match(logs.out, /^\S+ \S+ info {2}ready /m);
    assert.equal((await stat(join(cwd, 'data', 'mesh.log'))).mode & 0o777, 0o600);
    const refused = await runMesh(['status', '--secret', 'another-secret-for-tests'], {
      cwd,
      env: { ...env, NODE_API_READ_AUTH: '1' },
    });
    assert.doesNotMatch(refused.out + refused.err, /another-secret/);
    assert.equal((await node.stop()).code, 0, node.err);
  });

  it('makes a log that one node alone writes: a second is refused with the reason until the first ends', async () => {
    assert.equal((await runMesh(['init', 'mine'], { cwd: folder })).code, 0);
    const cwd = join(folder, 'mine');
    const listen = async () => ({ NODE_API_ADDR: `127.0.0.1:${await freePort()}` });
    const first = new MeshProcess(['start'], { cwd, env: await listen() });
    started.push(first);
    await first.until(() => /^node \S+ at http/m.test(first.err), 'the boot report');
    const second = await runMesh(['start', '--data-dir', join(folder, 'other')], { cwd, env: await listen() });
    assert.equal(second.code, 1);
    const log = join(cwd, 'data', 'mesh.log');
    const said = `log.file: ${log} is written by another node, process ${first.pid}; stop that node, or give this one its own`;
    assert.ok(second.err.includes(said), second.err);
    const own = ['--data-dir', join(folder, 'other'), '--log-file', join(folder, 'other.log')];
    const third = new MeshProcess(['start', ...own], { cwd, env: await listen() });
    started.push(third);
    await third.until(() => /^node \S+ at http/m.test(third.err), 'the boot report');
    await first.kill();
    const after = new MeshProcess(['start'], { cwd, env: await listen() });
    started.push(after);
    await after.until(() => /^node \S+ at http/m.test(after.err), 'the boot report');
  });

  it('names the next commands as they are called there', async () => {
    const next = async (event: string) => {
      const run = await runMesh(['init', event, '--json'], { cwd: folder, env: { npm_lifecycle_event: event } });
      return JSON.parse(run.out).next as string[];
    };
    assert.deepEqual(await next('npx'), ['cd npx', 'npx mesh check', 'npx mesh start']);
    const [enter, check] = await next('mesh');
    const { stdout } = await promisify(exec)(`${enter} && ${check}`, { cwd: folder });
    assert.match(stdout, /nothing is wrong/);
  });

  it('overwrites nothing', async () => {
    await writeFile(join(folder, 'plugins.json'), '{}');
    const { code, err, out } = await runMesh(['init', '--json'], { cwd: folder });
    assert.equal(code, 1);
    assert.match(err, /plugins\.json is there already; remove it, or name another folder/);
    assert.equal(JSON.parse(out).ok, false);
    assert.equal(await readFile(join(folder, 'plugins.json'), 'utf8'), '{}');
    assert.ok(!existsSync(join(folder, '.gitignore')));
  });

  for (const profile of ['node', 'aggregator']) {
    it(`writes settings of a ${profile} that fit their schema, also when what is commented out is not`, async () => {
      assert.equal((await runMesh(['init', '--profile', profile], { cwd: folder })).code, 0);
      const text = await readFile(join(folder, 'plugins.json'), 'utf8');
      const address = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
      const whole = text.replaceAll(/^( *)\/\/ (?=,|"\w+": )/gm, '$1').replaceAll('"ADDRESS"', `"${address}"`);
      assert.notEqual(whole, text);
      for (const one of [text, whole]) {
        const settings = parseJsonc(one) as Record<string, any>;
        assert.deepEqual(loadContracts().problems('settings', settings, 'input'), []);
        assert.equal(settings['profile'], profile);
      }
      const all = parseJsonc(whole) as Record<string, any>;
      assert.deepEqual([all['agent'].name, all['mesh'].hubs.length, all['ledger'].program], ['my-agent', 1, address]);
    });
  }

  it('config show says what is in force, from where, and hides what is secret', async () => {
    await writeFile(join(folder, 'secret'), 'a-secret-of-a-file\n');
    await writeFile(
      join(folder, 'plugins.json'),
      `{ "listen": "127.0.0.1:9191", // here
         "api": { "secret": { "$file": "secret" } },
         "ledger": { "rpcUrls": ["https://rpc.example/v2/rpc-key", "https://other.example/?api-key=other-key"] },
         "storage": { "use": "redis", "url": "redis://user:redis-password@127.0.0.1:6379" },
         "plugins": { "launchpad": { "apiKey": "launchpad-key" } } }`,
    );
    const run = (...args: string[]) =>
      runMesh(['config', 'show', '--log-level', 'warn', ...args], { cwd: folder, env: { NODE_NETWORK_ID: 'harbour' } });
    const { code, out, err } = await run('--json');
    assert.equal(code, 0, err);
    const { settings, file } = JSON.parse(out);
    assert.equal(file, join(folder, 'plugins.json'));
    const of = (key: string) => {
      const { value, source } = settings.find((one: { key: string }) => one.key === key);
      return [value, source];
    };
    assert.deepEqual(of('listen'), ['127.0.0.1:9191', file]);
    assert.deepEqual(of('log.level'), ['warn', '--log-level']);
    assert.deepEqual(of('network.id'), ['harbour', 'NODE_NETWORK_ID']);
    assert.deepEqual(of('profile'), ['node', 'default']);
    assert.deepEqual(of('api.secret'), ['(hidden)', `${file}, $file secret`]);
    assert.deepEqual(of('ledger.rpcUrls')[0], ['https://rpc.example/(hidden)', 'https://other.example/?(hidden)']);
    assert.equal(of('storage.url')[0], 'redis://(hidden)@127.0.0.1:6379');
    assert.deepEqual(of('core.money.maxEscrow'), ['25', 'default']);
    assert.deepEqual(of('core.money.maxPerDay'), ['100', 'default']);
    assert.deepEqual(of('agent.name'), [null, 'default']);
    assert.deepEqual(of('ledger.program'), [null, 'default']);
    assert.deepEqual(of('plugins.launchpad.apiKey')[0], '(hidden)');
    const keys = settings.map(({ key }: { key: string }) => key);
    assert.equal(new Set(keys).size, keys.length);
    const told = await run();
    assert.match(told.out, /^agent\.name +\(not set\) +default$/m);
    assert.match(told.out, /^network\.id +harbour +NODE_NETWORK_ID$/m);
    for (const secret of ['a-secret', 'rpc-key', 'other-key', 'redis-password', 'launchpad-key']) {
      assert.ok(!(out + err + told.out + told.err).includes(secret), secret);
    }
    const wrong = await run('--log-level', 'loud');
    assert.equal(wrong.code, 2);
    await writeFile(join(folder, 'plugins.json'), '{ "listen": 5 }');
    const unfit = await run('--json');
    assert.equal(unfit.code, 1);
    assert.match(unfit.err, /^listen: /m);
    assert.equal(JSON.parse(unfit.out).ok, false);
  });
});
