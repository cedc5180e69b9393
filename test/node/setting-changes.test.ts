import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { BootError, type RunningNode } from '../../core/host/boot/boot-node.ts';
import { CHANGEABLE } from '../../core/host/config/changeable.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';

const OWN_SECRET = 'a-secret-that-nobody-is-told';
const FILE = `{
  // The comment of its operator.
  "listen": "127.0.0.1:0",
  "dataDir": "data",
  "agent": { "name": "ann", "description": { "$env": "DESCRIPTION" } },
  "storage": { "use": "lowdb" },
  "api": { "secret": { "$env": "OWN_SECRET" } }
}
`;

describe('settings that are changed over the API', function () {
  this.timeout(60_000);
  let folder: string;
  let node: RunningNode | undefined;
  const kept = () => join(folder, 'data', 'settings.json');
  const start = async (argv: string[] = []) => {
    const env = { OWN_SECRET, DESCRIPTION: 'I translate.', NODE_ENV: 'test' };
    const config = { file: join(folder, 'plugins.json'), env, argv };
    node = await startNode({ parts: { adapters, plugins: {} }, log: silentLog, config, grace: 200 });
  };
  const stop = async () => {
    await node?.stop();
    node = undefined;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-'));
    await writeFile(join(folder, 'plugins.json'), FILE);
    await start();
  });
  afterEach(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function asked(method: string, body?: unknown, secret = OWN_SECRET) {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${node!.url}/settings`, { method, headers, ...sent });
    const text = await answer.text();
    assert.ok(!text.includes(OWN_SECRET));
    return { status: answer.status, body: JSON.parse(text) };
  }
  const change = (settings: Record<string, unknown>) => asked('PATCH', { settings });
  const row = async (wanted: string) =>
    (await asked('GET')).body.settings.find(({ key }: { key: string }) => key === wanted);

  it('hold at once or after a restart, are on disk when they are answered, and leave the file alone', async () => {
    const answer = await change({ 'log.level': 'debug', 'agent.name': 'ada', 'agent.capabilities': ['translate'] });
    assert.deepEqual(answer, {
      status: 200,
      body: { changed: ['log.level'], restart: ['agent.name', 'agent.capabilities'] },
    });
    assert.deepEqual(JSON.parse(await readFile(kept(), 'utf8')), {
      'log.level': 'debug',
      'agent.name': 'ada',
      'agent.capabilities': ['translate'],
    });
    assert.equal((await stat(kept())).mode & 0o777, 0o600);
    const level = await row('log.level');
    assert.deepEqual([level.value, level.source, level.kept], ['debug', kept(), true]);
    const name = await row('agent.name');
    assert.deepEqual([name.value, name.after_restart, name.change], ['ann', 'ada', 'restart']);
    await stop();
    await start();
    const later = await row('agent.name');
    assert.deepEqual([later.value, later.source, later.kept, later.after_restart], ['ada', kept(), true, undefined]);
    const agent = (await (await fetch(`${node!.url}/agent`)).json()) as { name: string };
    assert.equal(agent.name, 'ada');
    assert.equal((await row('log.level')).value, 'debug');
    assert.equal(await readFile(join(folder, 'plugins.json'), 'utf8'), FILE);
  });

  it('are taken back by null', async () => {
    await change({ 'log.level': 'debug', 'agent.name': 'ada' });
    await stop();
    await start();
    const answer = await change({ 'log.level': null, 'agent.name': null });
    assert.deepEqual(answer.body, { changed: ['log.level'], restart: ['agent.name'] });
    assert.equal((await row('log.level')).value, 'info');
    assert.equal((await row('agent.name')).after_restart, null);
    assert.deepEqual(JSON.parse(await readFile(kept(), 'utf8')), {});
    await stop();
    await start();
    assert.equal((await row('agent.name')).value, 'ann');
  });

  it('are refused with the setting that is wrong, and then nothing has changed', async () => {
    for (const [settings, status, pointer, words] of [
      [{ 'log.level': 'loud', 'agent.name': 'ada' }, 400, '/settings/log.level', /debug/],
      [{ 'agent.name': '' }, 400, '/settings/agent.name', /./],
      [{ 'agent.name': { $env: 'OWN_SECRET' } }, 400, '/settings/agent.name', /./],
      [{ 'agent.capabilities': [{ $file: 'plugins.json' }] }, 400, '/settings/agent.capabilities/0', /./],
      [{ 'agent.capabilities': ['x', ''] }, 400, '/settings/agent.capabilities', /./],
      [{ 'mesh.beaconSecs': 0.5 }, 400, '/settings/mesh.beaconSecs', /./],
      [{ 'agent.nam': 'ada' }, 400, '/settings/agent.nam', /did you mean agent\.name\?/],
      [{ 'agent.name': 'x'.repeat(65) }, 400, '/settings/agent.name', /64/],
      [{ 'core.money.maxEscrow': '1000000' }, 403, '/settings/core.money.maxEscrow', /cap/],
      [{ 'api.secret': 'another-secret-of-mine' }, 403, '/settings/api.secret', /only|secret/],
      [{ 'api.openLoopback': true }, 403, '/settings/api.openLoopback', /who may call/],
      [{ 'ledger.rpcUrl': 'http://127.0.0.1:1' }, 403, '/settings/ledger.rpcUrl', /trusts/],
      [{ dataDir: '/tmp' }, 403, '/settings/dataDir', /plugins\.json/],
      [{ 'agent.description': 'x' }, 403, '/settings/agent.description', /\$env DESCRIPTION/],
      [{}, 400, '/settings', /./],
    ] as const) {
      const { status: found, body } = await change(settings);
      assert.deepEqual([found, body.fields[0].pointer], [status, pointer], JSON.stringify([settings, body]));
      assert.match(`${body.fields[0].message}`, words);
    }
    for (const key of ['__proto__', 'constructor', 'agent.__proto__.polluted'])
      assert.equal((await change(JSON.parse(`{ "${key}": "x" }`))).status, 400, key);
    assert.equal(existsSync(kept()), false);
    assert.equal((await row('log.level')).value, 'info');
  });

  it('are the holder of the secret’s alone', async () => {
    assert.equal((await asked('PATCH', { settings: { 'log.level': 'debug' } }, 'another')).status, 401);
    assert.equal(existsSync(kept()), false);
  });

  it('lose to flags, and say so', async () => {
    await change({ 'agent.name': 'ada' });
    await stop();
    await start(['--agent-name', 'flag']);
    const { value, source, change: how, fixed } = await row('agent.name');
    assert.deepEqual([value, source, how], ['flag', '--agent-name', undefined]);
    assert.match(fixed, /--agent-name/);
    assert.equal((await change({ 'agent.name': 'eve' })).status, 403);
  });

  it('come one after the other, and none is lost', async () => {
    const wanted = { 'agent.geo.city': 'Seoul', 'mesh.beaconSecs': 100, 'log.format': 'pretty', 'log.level': 'warn' };
    const answers = await Promise.all(Object.entries(wanted).map(([key, value]) => change({ [key]: value })));
    for (const { status } of answers) assert.equal(status, 200);
    assert.deepEqual(JSON.parse(await readFile(kept(), 'utf8')), wanted);
  });

  it('are refused where the file has a fault meanwhile, with that fault', async () => {
    await writeFile(join(folder, 'plugins.json'), FILE.replace('"listen"', '"lissten"'));
    const { status, body } = await change({ 'log.level': 'debug' });
    assert.deepEqual([status, body.code], [409, 'conflict']);
    assert.match(body.detail, /lissten/);
    assert.equal(existsSync(kept()), false);
  });

  it('are a fault of the start where the file of changes was damaged, or sets what it may not', async () => {
    await stop();
    for (const [text, words] of [
      ['{ "log.level": ', /settings\.json: cannot be read/],
      ['[]', /settings\.json: must hold an object/],
      ['{ "api.openLoopback": true }', /api\.openLoopback, which only plugins\.json can set/],
      ['{ "log.level": "loud" }', /log\.level/],
    ] as const) {
      await writeFile(kept(), text);
      await assert.rejects(start(), (error: unknown) => {
        assert.ok(error instanceof BootError);
        assert.match(error.message, words);
        return true;
      });
    }
  });

  it('answer that they cannot be kept where the file cannot be written', async () => {
    await mkdir(`${kept()}.tmp`);
    const { status, body } = await change({ 'log.level': 'debug' });
    assert.deepEqual([status, body.code], [503, 'storage_unavailable']);
    assert.equal((await row('log.level')).value, 'info');
  });

  it('name settings that there are', async () => {
    const properties = (schema: any, path: string): unknown =>
      path.split('.').reduce((at: any, name) => at?.properties?.[name], schema);
    for (const key of CHANGEABLE.keys())
      assert.ok(properties(loadContracts().schemaOf('settings'), key), `${key} is no setting`);
  });
});
