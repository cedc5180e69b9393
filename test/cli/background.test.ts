import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/mesh-process.ts';
import { processesOfGroup } from '../support/process-group.ts';
import { commands, mesh } from './terminal.ts';

describe('a node in the background', function () {
  this.timeout(120_000);
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-background-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const environment = process.env as Record<string, string>;

  it('is started, serves, is not started twice, and is stopped', async () => {
    const port = await freePort();
    const data = ['--data-dir', join(folder, 'data')];
    const args = ['start', '--background', ...data, '--api-addr', `127.0.0.1:${port}`];
    const started = await mesh([...args, '--json'], environment);
    assert.equal(started.code, 0, started.error);
    const { pid, url } = JSON.parse(started.out);
    try {
      assert.equal((await fetch(`${url}/health`)).status, 200);
      assert.match((await mesh(args, environment)).error, new RegExp(`runs already as process ${pid}`));
      const elsewhere = [...args.slice(0, 2), '--data-dir', join(folder, 'other'), ...args.slice(4)];
      assert.match((await mesh(elsewhere, environment)).error, /something serves at .* already/);
      assert.equal((await mesh(['status', ...data, '--api-addr', `127.0.0.1:${port}`])).code, 0);
    } finally {
      const stopped = await mesh(['stop', ...data]);
      assert.deepEqual([stopped.code, stopped.out], [0, `process ${pid} has ended`], stopped.error);
    }
    // A process that nobody has waited for yet keeps its id: its state says that it has ended.
    assert.deepEqual(processesOfGroup(pid), []);
    assert.ok(existsSync(join(folder, 'data', 'mesh.log')));
    assert.match((await mesh(['stop', ...data])).error, /no node runs in the background/);
  });

  it('that cannot start says why', async () => {
    const config = join(folder, 'wrong.json');
    writeFileSync(
      config,
      JSON.stringify({ dataDir: './wrong', plugins: { './none.js': {} }, listen: `127.0.0.1:${await freePort()}` }),
    );
    const { code, error } = await mesh(['start', '--background', '--config', config], environment);
    assert.equal(code, 1);
    assert.match(error, /none\.js/);
  });
});

describe('mesh service', function () {
  this.timeout(30_000);
  let home = '';
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'mesh home & $x %n '));
  });
  after(() => rm(home, { recursive: true, force: true }));

  it('writes a unit that systemd takes, and removes it', async () => {
    const config = join(home, 'plugins.json');
    writeFileSync(config, '{}');
    const env = { HOME: home };
    const printed = await mesh(['service', 'install', '--kind', 'systemd', '--print', '--config', config], env);
    assert.equal(printed.code, 0, printed.error);
    const path = join(home, '.config', 'systemd', 'user', 'agent-mesh.service');
    assert.ok(!existsSync(path));
    const written = await mesh(['service', 'install', '--kind', 'systemd', '--config', config], env);
    assert.match(written.out, /systemctl --user enable --now agent-mesh$/);
    assert.equal(readFileSync(path, 'utf8').trim(), printed.out.trim());
    assert.match(printed.out, /^ExecStart=.* start --config "/m);
    if (spawnSync('systemd-analyze', ['--version']).status === 0) {
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', path], {
        encoding: 'utf8',
        env: { ...process.env, XDG_RUNTIME_DIR: home },
      });
      assert.equal(stderr.includes('agent-mesh.service'), false, stderr);
      assert.equal(status, 0, stderr);
    }
    assert.equal((await mesh(['service', 'uninstall', '--kind', 'systemd'], env)).code, 0);
    assert.ok(!existsSync(path));
  });

  it('writes a plist of balanced elements with escaped texts', async () => {
    const config = join(home, 'plugins.json');
    const args = ['service', 'install', '--kind', 'launchd', '--print', '--config', config];
    const { out } = await mesh(args, { HOME: home });
    const open: string[] = [];
    for (const [, end, name, empty] of out.matchAll(/<(\/?)([a-z]+)(?: [^>]*?)?(\/?)>/g)) {
      if (empty) continue;
      if (end) assert.equal(open.pop(), name);
      else open.push(name!);
    }
    assert.deepEqual(open, []);
    assert.doesNotMatch(out, /&(?!amp;|lt;|gt;)/);
    const texts = [...out.matchAll(/<string>([^<]*)<\/string>/g)].map(([, text]) => text!.replaceAll('&amp;', '&'));
    assert.ok(texts.includes(config), 'the file of the configuration is an argument of its own');
  });
});

describe('mesh completion', () => {
  it('completes commands, those below a word, and options in bash', async () => {
    const { out } = await mesh(['completion', 'bash']);
    const complete = (line: string) => {
      const words = line.split(' ');
      const quoted = words.map((word) => `'${word}'`).join(' ');
      const script = `${out}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _mesh; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n').sort();
    };
    for (const name of Object.keys(commands)) assert.ok(complete('mesh ').includes(name), name);
    assert.deepEqual(complete('mesh comp'), ['completion']);
    assert.deepEqual(complete('mesh service in'), ['install']);
    assert.deepEqual(complete('mesh service install --p'), ['--print']);
    assert.ok(complete('mesh start --').includes('--background'));
    assert.ok(complete('mesh start --').includes('--data-dir'));
  });

  it('has every command for zsh and fish, and refuses another shell', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { out } = await mesh(['completion', shell]);
      for (const name of Object.keys(commands)) assert.match(out, new RegExp(`\\b${name}\\b`));
    }
    const { code, error } = await mesh(['completion', 'csh']);
    assert.equal(code, 2);
    assert.match(error, /bash, zsh, fish, not csh/);
  });
});
