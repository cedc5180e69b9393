import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../core/platform/package-root.ts';
import { freePort, runMesh } from '../support/mesh-process.ts';
import { findProgram } from './programs.ts';

/** A line of a Dockerfile, continued lines joined. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

describe('deploy/Dockerfile', function () {
  this.timeout(60_000);
  let lines: Instruction[] = [];
  before(async () => {
    const text = await readFile(join(packageRoot, 'deploy/Dockerfile'), 'utf8');
    lines = text
      .replaceAll(/^#.*\n/gm, '')
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .filter(Boolean)
      .map((line) => ({ name: line.split(' ')[0]!, rest: line.slice(line.indexOf(' ') + 1) }));
  });
  const last = (name: string) => lines.filter((line) => line.name === name).at(-1)!.rest;
  const words = (text: string) => JSON.parse(text.slice(text.indexOf('['))) as string[];

  it('runs what the package holds, as a user that is not root', async () => {
    assert.equal(last('USER'), 'node');
    const [node, file] = words(last('ENTRYPOINT'));
    assert.equal(node, 'node');
    const { name, bin } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));
    assert.equal(file, `/opt/agent-mesh/node_modules/${name}/${bin.mesh}`);
  });

  it('copies every file that the package is made of', async () => {
    const text = await readFile(join(packageRoot, 'deploy/Dockerfile.dockerignore'), 'utf8');
    const kept = text.split('\n').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const { files } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as { files: string[] };
    const isKept = (path: string) =>
      kept.some((one) =>
        one.startsWith('*') ? path.endsWith(one.slice(1)) : path === one || path.startsWith(`${one}/`),
      );
    const needed = [
      ...files.filter((path) => !/^(!|dist(\/|$))/.test(path)),
      'clients/recount',
      'package-lock.json',
      'tsconfig.build.json',
      'core',
      'plugins',
    ];
    assert.deepEqual(
      needed.filter((path) => !isKept(path)),
      [],
    );
  });

  it('has a process 1 that answers its health check and ends in order at SIGTERM', async function () {
    const unshare = findProgram('unshare');
    const namespaces = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
    if (!unshare || spawnSync(unshare, [...namespaces, 'true']).status !== 0) return this.skip();
    const data = await mkdtemp(join(tmpdir(), 'mesh-container-'));
    const port = await freePort();
    const variables = Object.fromEntries(
      last('ENV')
        .split(' ')
        .map((pair) => pair.split('=') as [string, string]),
    );
    assert.equal(variables['NODE_DATA_DIR'], '/data');
    const env = { ...process.env, ...variables, NODE_DATA_DIR: data, NODE_API_ADDR: `0.0.0.0:${port}` };
    const { npm_lifecycle_event: _, ...own } = env as Record<string, string>;
    const program = [process.execPath, join(packageRoot, 'bin/mesh.js'), ...words(last('CMD'))];
    const one = spawn(unshare, [...namespaces, ...program], { cwd: data, env: own, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [one.stdout, one.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    const ended = new Promise<number | null>((resolve) => one.once('exit', resolve));
    try {
      const [command, ...args] = words(last('HEALTHCHECK')).map((word) => word.replace(':9090', `:${port}`));
      assert.equal(command, 'node');
      const healthy = () => spawnSync(process.execPath, args).status === 0;
      for (const end = performance.now() + 30_000; !healthy(); ) {
        assert.ok(performance.now() < end && one.exitCode === null, said);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const inner = Number(spawnSync('pgrep', ['-P', `${one.pid}`], { encoding: 'utf8' }).stdout);
      const pids = await readFile(`/proc/${inner}/status`, 'utf8');
      assert.match(pids, /^NSpid:\s+\d+\s+1$/m);
      process.kill(inner, 'SIGTERM');
      assert.equal(await ended, 0, said);
    } finally {
      if (one.exitCode === null) one.kill('SIGKILL');
      await ended;
      await rm(data, { recursive: true, force: true });
    }
  });
});

describe('deploy/compose.yaml', function () {
  this.timeout(60_000);
  let compose: { services: Record<string, any>; volumes: Record<string, unknown> };
  before(async () => {
    compose = parse(await readFile(join(packageRoot, 'deploy/compose.yaml'), 'utf8'));
  });

  it('names volumes and services that are there, and files of this folder', async () => {
    for (const { volumes = [], depends_on: after = [] } of Object.values(compose.services)) {
      for (const volume of volumes as string[]) {
        const [from] = volume.split(':') as [string];
        if (from.startsWith('./')) await readFile(join(packageRoot, 'deploy', from));
        else assert.ok(from in compose.volumes, volume);
      }
      for (const name of Array.isArray(after) ? after : Object.keys(after)) assert.ok(name in compose.services, name);
    }
  });

  it('gives Redis what a strict store needs', () => {
    const text = compose.services['redis'].command.join(' ');
    assert.equal(text, 'redis-server --appendonly yes --appendfsync always --maxmemory-policy noeviction');
  });

  it('starts the aggregator with a configuration and variables that mesh check takes', async () => {
    const { command, environment } = compose.services['aggregator'];
    assert.deepEqual(command, ['start', '--config', '/etc/agent-mesh/aggregator.json']);
    const env = { ...environment, NODE_PUBLIC_API_URL: 'https://mesh.example.org', NODE_DATA_DIR: tmpdir() };
    for (const name of ['aggregator.redis.json', 'aggregator.json', 'node.json']) {
      const checked = await runMesh(['check', '--config', join(packageRoot, 'deploy', name)], { env });
      assert.equal(checked.code, 0, `${name}: ${checked.err}`);
    }
  });
});
