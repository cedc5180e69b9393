import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../core/platform/package-root.ts';
import { eventually } from '../support/eventually.ts';
import { freePort, MeshProcess } from '../support/mesh-process.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { findProgram } from './programs.ts';

const HOST = 'mesh.example.org';
const SERVICES = ['aggregator', 'aggregator-2'] as const;
const read = (name: string) => readFile(join(packageRoot, 'deploy', name), 'utf8');

/** The services of both files, those of the second on top, as compose takes them. */
async function composed(): Promise<Record<string, any>> {
  const [base, more] = [parse(await read('compose.yaml')).services, parse(await read('compose.several.yaml')).services];
  const names = [...new Set([...Object.keys(base), ...Object.keys(more)])];
  return Object.fromEntries(
    names.map((name) => {
      const environment = { ...base[name]?.environment, ...more[name]?.environment };
      const volumes = [...(base[name]?.volumes ?? []), ...(more[name]?.volumes ?? [])];
      // A volume of the second file takes the place of one at the same path.
      const byPath = new Map(volumes.map((one: string) => [one.split(':')[1], one]));
      return [name, { ...base[name], ...more[name], environment, volumes: [...byPath.values()] }];
    }),
  );
}

describe('deploy/compose.several.yaml', () => {
  it('names volumes and services that are there, and files of this folder', async () => {
    const services = await composed();
    const { volumes: first } = parse(await read('compose.yaml'));
    const { volumes: second } = parse(await read('compose.several.yaml'));
    const known = { ...first, ...second };
    for (const { volumes = [], depends_on: after = [] } of Object.values(services)) {
      for (const [from] of volumes.map((one: string) => one.split(':')) as [string][])
        if (from.startsWith('./')) await read(from);
        else assert.ok(from in known, from);
      for (const name of Array.isArray(after) ? after : Object.keys(after)) assert.ok(name in services, name);
    }
    for (const name of SERVICES) {
      assert.ok(services[name].volumes.includes('./aggregator.several.json:/etc/agent-mesh/aggregator.json:ro'), name);
      assert.deepEqual(services[name].command, ['start', '--config', '/etc/agent-mesh/aggregator.json']);
    }
    assert.equal(services['caddy'].environment['MESH_UPSTREAM'], 'aggregator:9090 aggregator-2:9090');
  });
});

describeRedis('two aggregators of deploy/compose.several.yaml on one Redis', function () {
  this.timeout(240_000);
  let folder: string;
  let redis: RedisServer;
  let caddy: ChildProcess | undefined;
  let said = '';
  let ports: number[] = [];
  const running = new Map<string, MeshProcess>();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-several-'));
    const { command } = (await composed())['redis'];
    redis = await RedisServer.start(command.slice(1));
    const first = await freePort(6);
    ports = Array.from({ length: 6 }, (_, index) => first + index);
    for (const name of SERVICES) await start(name);
  });
  after(async () => {
    caddy?.kill('SIGKILL');
    for (const one of running.values()) await one.kill();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const portOf = (name: string) => ports[SERVICES.indexOf(name as (typeof SERVICES)[number])]!;
  const ready = (name: string) => fetch(`http://127.0.0.1:${portOf(name)}/ready`).catch(() => undefined);

  /** The service's own command, configuration and variables; addresses and folders are those of this machine. */
  async function start(name: string): Promise<void> {
    const { command, environment } = (await composed())[name];
    const settings = JSON.parse(await read('aggregator.several.json'));
    const writer = { listen: `127.0.0.1:${ports[2 + SERVICES.indexOf(name as (typeof SERVICES)[number])]}` };
    const storage = { ...settings.storage, url: redis.url, blobs: join(folder, 'blobs') };
    const file = join(folder, `${name}.json`);
    await writeFile(file, JSON.stringify({ ...settings, writer, storage }));
    const [verb, flag] = command;
    const env = {
      ...{ ...environment, NODE_PUBLIC_API_URL: `https://${HOST}`, NODE_ENV: 'production' },
      ...{ NODE_DATA_DIR: join(folder, name), NODE_API_ADDR: `127.0.0.1:${portOf(name)}` },
    };
    const one = new MeshProcess([verb, flag, file], { env });
    running.set(name, one);
    await eventually(async () => {
      if (one.child.exitCode !== null) throw new Error(one.err + one.out);
      return (await ready(name))?.ok === true;
    }, 90_000);
  }

  it('agree on one writer, which both name at /ready', async () => {
    const writers = async () => {
      const answers = await Promise.all(SERVICES.map(async (name) => (await (await ready(name))?.json()) as any));
      return answers.map((answer) => JSON.stringify(answer?.services?.writer ?? ''));
    };
    await eventually(async () => (await writers()).every((one) => one !== '""'));
    const metrics = async (name: string) => (await fetch(`http://127.0.0.1:${portOf(name)}/metrics`)).text();
    await eventually(async () => {
      const found = await Promise.all(SERVICES.map(metrics));
      return found.filter((text) => /^mesh_writer(?:\{[^}]*\})? 1$/m.test(text)).length === 1;
    });
  });

  it('lose no call behind Caddyfile.several while one after the other is started again', async function () {
    const program = findProgram('caddy');
    if (program === undefined) return this.skip();
    const [https, http] = [ports[4]!, ports[5]!];
    const options = `{\n  admin off\n  https_port ${https}\n  http_port ${http}\n  skip_install_trust\n  local_certs\n}\n`;
    const file = join(folder, 'Caddyfile');
    await writeFile(file, options + (await read('Caddyfile.several')));
    const env = {
      ...{ ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, MESH_HOST: HOST },
      MESH_UPSTREAM: SERVICES.map((name) => `127.0.0.1:${portOf(name)}`).join(' '),
    };
    const given = ['--adapter', 'caddyfile', '--config', file];
    const valid = spawnSync(program, ['validate', ...given], { env, encoding: 'utf8' });
    assert.equal(valid.status, 0, valid.stderr);
    caddy = spawn(program, ['run', ...given], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [caddy.stdout!, caddy.stderr!])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    const ask = (path: string) =>
      new Promise<number>((resolve, reject) => {
        const settings = { port: https, path, servername: HOST, rejectUnauthorized: false, headers: { host: HOST } };
        const call = request(settings, (answer) => {
          answer.resume();
          answer.on('end', () => resolve(answer.statusCode!));
        });
        call.on('error', reject);
        call.end();
      });
    await eventually(async () => (await ask('/ready').catch(() => 0)) === 200);

    let isOver = false;
    let answered = 0;
    const failed: unknown[] = [];
    const asking = (async () => {
      while (!isOver) {
        const path = ['/agents?limit=3', '/activity?limit=3', '/stats/network'][answered % 3]!;
        const status = await ask(path).catch((error: Error) => error);
        if (status !== 200) failed.push([path, status]);
        answered += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    for (const name of SERVICES) {
      const { code, ms } = await running.get(name)!.stop('SIGTERM');
      assert.equal(code, 0, running.get(name)!.err);
      assert.ok(ms < 60_000, 'within stop_grace_period');
      await start(name);
    }
    isOver = true;
    await asking;
    assert.deepEqual(failed, [], said.slice(-2_000));
    assert.ok(answered > 50, `${answered} calls`);
  });
});
