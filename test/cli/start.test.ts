import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { freePort, isFree, MeshProcess, runMesh } from '../support/mesh-process.ts';

describe('mesh start', function () {
  this.timeout(60_000);
  const started: MeshProcess[] = [];
  let folder = '';
  let config = '';
  let port = 0;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    config = join(folder, 'plugins.json');
    port = await freePort();
    await writeConfig({});
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((mesh) => mesh.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  it('serves what plugins.json, flags and variables say, reports it, and stops at SIGTERM', async () => {
    const mesh = start(['--agent-name', 'flagged'], { NODE_NETWORK_ID: 'from-env' });
    const url = await serving(mesh);
    assert.match(mesh.err, /^node \S+ at http:\/\/127\.0\.0\.1:\d+$/m);
    assert.match(mesh.err, /^ {2}negotiation \(core\): \d+ routes/m);
    assert.match(mesh.err, /^ {2}storage: lowdb, durability /m);
    const identity = (await (await fetch(`${url}/identity`)).json()) as Record<string, string>;
    assert.equal(identity['name'], 'flagged');
    assert.equal(identity['network_id'], 'from-env');
    const { code, ms } = await mesh.stop('SIGTERM');
    assert.equal(code, 0, mesh.err);
    assert.ok(ms < 9_000, `it took ${ms} ms`);
    assert.ok(await isFree(port));
  });

  it('writes JSON lines alone on standard output with --json, whatever the log is otherwise', async () => {
    await writeConfig({ log: { format: 'pretty' } });
    const mesh = start(['--json']);
    await serving(mesh);
    await mesh.until(() => mesh.out.includes('\n'), 'a line of the log');
    assert.equal((await mesh.stop()).code, 0, mesh.err);
    for (const line of mesh.out.trim().split('\n')) assert.equal(typeof JSON.parse(line).level, 'number');
  });

  it('says aloud that there is no ledger', async () => {
    const mesh = start();
    await serving(mesh);
    assert.match(mesh.err, /^ {2}ledger: none, so nothing can be paid; give --rpc-url$/m);
  });

  it('stops at Ctrl-C too, as an aggregator', async () => {
    const mesh = start(['--profile', 'aggregator']);
    await serving(mesh);
    assert.match(mesh.err, /^aggregator /m);
    assert.doesNotMatch(mesh.err, /ledger: none/);
    assert.equal((await mesh.stop('SIGINT')).code, 0, mesh.err);
  });

  it('is a hub with --relay-server', async () => {
    const hub = start(['--relay-server']);
    const url = await serving(hub);
    const other = await freePort();
    const args = ['--api-addr', `127.0.0.1:${other}`, '--data-dir', join(folder, 'other'), '--hubs', url];
    const node = start(args);
    await serving(node, other);
    await eventually(async () => {
      const peers = (await (await fetch(`http://127.0.0.1:${other}/peers`)).json()) as {
        connected: boolean;
        hub: boolean;
      }[];
      return peers.some(({ connected, hub }) => connected && hub);
    });
  });

  it('keeps its identity where --keypair-path says, and is nobody else than --agent-id', async () => {
    const key = join(folder, 'agent.key');
    const mesh = start(['--keypair-path', key]);
    const url = await serving(mesh);
    const { agent_id } = (await (await fetch(`${url}/identity`)).json()) as { agent_id: string };
    await mesh.stop();
    assert.equal((await stat(key)).size, 32);
    assert.equal((await stat(key)).mode & 0o777, 0o600);
    const again = start(['--keypair-path', key, '--agent-id', agent_id]);
    await serving(again);
    await again.stop();
    const other = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
    const { code, err } = await runMesh(['start', '--config', config, '--keypair-path', key, '--agent-id', other]);
    assert.equal(code, 1);
    assert.match(
      err,
      new RegExp(`--agent-id ${other} does not belong to the key in ${key}, which is agent ${agent_id}`),
    );
  });

  it('names every problem and the way out, and ends with code 1', async () => {
    await writeConfig({ plugins: { telepathy: {} } });
    const { code, err } = await runMesh(['start', '--config', config, '--log-level', 'loud']);
    assert.equal(code, 1);
    const [first, ...problems] = err.trimEnd().split('\n');
    assert.equal(first, 'the node cannot start:');
    assert.equal(problems.length, 2);
    assert.match(problems[0]!, /^ {2}- log\.level: must be one of debug, info, warn, error, silent/);
    assert.match(problems[1]!, /^ {2}- telepathy: /);
  });

  it('says which RPC is away, and ends with code 1', async () => {
    const gone = ['--rpc-url', `http://127.0.0.1:${await freePort()}`];
    const { code, err } = await runMesh(['start', '--config', config, ...gone]);
    assert.equal(code, 1, err);
    assert.match(err, /^the node cannot start:\n.*getGenesisHash: fetch failed \(ECONNREFUSED\)/m);
    const address = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
    const verified = await runMesh(['program', 'verify', '--program', address, ...gone]);
    assert.equal(verified.code, 1, verified.err);
    assert.match(verified.err, /did not answer getGenesisHash: fetch failed \(ECONNREFUSED\)/);
  });

  it('ends with code 1 on an error that nobody caught, and says which', async () => {
    const fault = "process.on('SIGUSR2', () => Promise.reject(new Error('a fault of the test')))";
    const mesh = start([], { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` });
    await serving(mesh);
    mesh.child.kill('SIGUSR2');
    assert.equal((await mesh.ended).code, 1);
    assert.match(mesh.err, /^mesh stops: .*a fault of the test/m);
  });

  function start(args: readonly string[] = [], env = {}): MeshProcess {
    const mesh = new MeshProcess(['start', '--config', config, ...args], { env });
    started.push(mesh);
    return mesh;
  }

  async function serving(mesh: MeshProcess, at = port): Promise<string> {
    const url = `http://127.0.0.1:${at}`;
    await mesh.until(() => mesh.err.includes(`${url}\n`), 'the boot report');
    assert.equal((await fetch(`${url}/ready`)).status, 200);
    return url;
  }

  function writeConfig(settings: object): Promise<void> {
    return writeFile(
      config,
      JSON.stringify({ listen: `127.0.0.1:${port}`, dataDir: './data', plugins: {}, ...settings }),
    );
  }
});

describe('mesh commands that start nothing', function () {
  this.timeout(60_000);

  it('check says that nothing is wrong, or what is', async () => {
    const good = await runMesh(['check', '--json']);
    assert.equal(good.code, 0, good.err);
    assert.equal(JSON.parse(good.out).ok, true);
    const bad = await runMesh(['check', '--log-level', 'loud']);
    assert.equal(bad.code, 1);
    assert.equal(bad.err, 'log.level: must be one of debug, info, warn, error, silent\n');
  });

  it('check names every setting that is none, of adapters and plugins too, with what was meant', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    const config = join(folder, 'plugins.json');
    try {
      const settings = {
        agent: { nmae: 'x' },
        mesh: { agregators: [] },
        storage: { use: 'redis', url: 'redis://127.0.0.1:1', perfix: 'mesh' },
        ledger: { rpcUrI: 'http://127.0.0.1:1', maxPriorityFees: 1 },
        core: { mony: {}, money: { maxEscro: '1' } },
      };
      await writeFile(config, JSON.stringify(settings));
      const { code, err } = await runMesh(['check', '--config', config]);
      assert.equal(code, 1);
      assert.deepEqual(err.trim().split('\n').sort(), [
        'agent.nmae: is not a known field; did you mean name?',
        'core.mony: the profile node has no part of that name; did you mean money?',
        'ledger.maxPriorityFees: is not a known field; did you mean maxPriorityFee?',
        'ledger.rpcUrI: is not a known field; did you mean rpcUrl?',
        'mesh.agregators: is not a known field; did you mean aggregators?',
        'money: its configuration is wrong: maxEscro is not a known field; did you mean maxEscrow?; correct it in plugins.json',
        'storage.perfix: is not a known field; did you mean prefix?',
      ]);
      const started = await runMesh(['start', '--config', config]);
      assert.equal(started.code, 1);
      assert.equal(started.err.trim().split('\n').length, 8);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('plugins lists what would be loaded, as JSON', async () => {
    const { code, out } = await runMesh(['plugins', '--json']);
    assert.equal(code, 0);
    const parts: { name: string; serves: string[] }[] = JSON.parse(out);
    assert.ok(parts.find(({ name }) => name === 'identity')?.serves.includes('GET /identity'));
  });

  for (const [profile, path] of [
    ['node', '/negotiate/propose'],
    ['aggregator', '/leaderboard'],
  ] as const) {
    it(`openapi prints the document of the ${profile} profile, also through npm`, async () => {
      const args = ['openapi', '--profile', profile, '--all-plugins'];
      const direct = await runMesh(args);
      assert.equal(direct.code, 0, direct.err);
      const document = JSON.parse(direct.out);
      assert.equal(document.openapi.slice(0, 3), '3.1');
      assert.ok(document.paths[path]);
      const npm = await runMesh(['run', '--silent', 'mesh', '--', ...args], { by: 'npm' });
      assert.equal(npm.code, 0, npm.err);
      assert.deepEqual(JSON.parse(npm.out), document);
    });
  }

  it('do not mind a reader that goes away', async () => {
    const mesh = new MeshProcess(['openapi', '--profile', 'node', '--all-plugins']);
    mesh.child.stdout!.destroy();
    assert.equal((await mesh.ended).code, 0);
    assert.equal(mesh.err, '');
  });

  it('know every flag by its help', async () => {
    const { code, out } = await runMesh(['start', '--help']);
    assert.equal(code, 0);
    for (const flag of ['relay-server', 'hubs', 'agent-id', 'keypair-path', 'rpc-url']) {
      assert.match(out, new RegExp(`--${flag} .*\\(NODE_`));
    }
  });

  it('end with code 2 for a command that is none', async () => {
    const { code, err } = await runMesh(['trade']);
    assert.equal(code, 2);
    assert.equal(err, 'there is no command trade; see mesh help\nusage: mesh COMMAND [options]\n');
  });
});

describe('the version of the command', () => {
  it('is that of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.equal((await runMesh(['--version'])).out, `${version}\n`);
  }).timeout(90_000);
});
