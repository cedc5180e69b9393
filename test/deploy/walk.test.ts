import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { NodeClient } from '../../core/client/node-client.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { happens } from '../support/happens.ts';
import { freePort, MeshProcess, runMesh } from '../support/mesh-process.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';

/** The steps of docs/operate.md in their order, with the unit's command line in place of systemctl. */
describeRedis('an operator with docs/operate.md', function () {
  this.timeout(300_000);
  let folder: string;
  let redis: RedisServer;
  let ports: number[] = [];
  const running = new Map<string, MeshProcess>();
  const file = (name: string) => join(folder, `${name}.json`);
  const urlOf = (index: number) => `http://127.0.0.1:${ports[index]}`;
  const deployed = async (name: string) => JSON.parse(await readFile(join(packageRoot, 'deploy', name), 'utf8'));

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-walk-'));
    const compose = parse(await readFile(join(packageRoot, 'deploy/compose.yaml'), 'utf8'));
    redis = await RedisServer.start(compose.services.redis.command.slice(1));
    const first = await freePort(3);
    ports = [first, first + 1, first + 2];
    const aggregator = await deployed('aggregator.json');
    await configure('aggregator', {
      ...{ ...aggregator, listen: `127.0.0.1:${ports[0]}`, dataDir: join(folder, 'aggregator') },
      ...{ storage: { use: 'redis', url: redis.url }, api: { publicUrl: urlOf(0) } },
    });
    const node = await deployed('node.json');
    await configure('node', {
      ...{ ...node, listen: `127.0.0.1:${ports[1]}`, dataDir: join(folder, 'node') },
      mesh: { aggregators: [urlOf(0)], allowPrivatePeers: true },
    });
  });
  after(async () => {
    for (const one of running.values()) await one.kill();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const configure = (name: string, value: object) => writeFile(file(name), JSON.stringify(value));

  async function start(name: string, url: string): Promise<void> {
    const one = new MeshProcess(['start', '--config', file(name)]);
    running.set(name, one);
    await happens(
      `${name} is ready`,
      async () => {
        if (one.child.exitCode !== null) throw new Error(one.err + one.out);
        return (await fetch(`${url}/ready`).catch(() => undefined))?.ok || undefined;
      },
      90_000,
    );
  }
  async function stop(name: string): Promise<void> {
    const { code } = await running.get(name)!.stop();
    assert.equal(code, 0, running.get(name)!.err);
  }
  async function mesh(...args: string[]): Promise<string> {
    const { code, out, err } = await runMesh(args);
    assert.equal(code, 0, `mesh ${args.join(' ')}\n${out}${err}`);
    return out;
  }
  const identity = async (name: string, url: string) => {
    const secret = (await readFile(join(folder, name, 'api-secret'), 'utf8')).trim();
    return (await new NodeClient({ url, secret }).identity()).agent_id;
  };
  const listed = (url: string, agent: string) =>
    happens(
      'the aggregator lists the agent',
      async () => (await (await fetch(`${url}/agents`)).text()).includes(agent) || undefined,
      90_000,
    );
  let agent = '';

  it('checks and starts an aggregator on Redis and a node, which finds it', async () => {
    for (const name of ['aggregator', 'node']) await mesh('check', '--config', file(name));
    await start('aggregator', urlOf(0));
    await start('node', urlOf(1));
    agent = await identity('node', urlOf(1));
    await listed(urlOf(0), agent);
  });

  it('restarts the aggregator, which has lost nothing', async () => {
    await stop('aggregator');
    await start('aggregator', urlOf(0));
    await listed(urlOf(0), agent);
  });

  it('backs the node up, upgrades it and starts it again', async () => {
    await stop('node');
    await mesh('backup', join(folder, 'node-1'), '--config', file('node'));
    await mesh('doctor', '--config', file('node'));
    await start('node', urlOf(1));
    assert.equal(await identity('node', urlOf(1)), agent);
  });

  it('practises the restore into an empty folder, and the copy is the same agent', async () => {
    const settings = JSON.parse(await readFile(file('node'), 'utf8'));
    await configure('drill', { ...settings, listen: `127.0.0.1:${ports[2]}`, dataDir: join(folder, 'drill') });
    await mesh('restore', join(folder, 'node-1'), '--config', file('drill'));
    await mesh('check', '--config', file('drill'));
    // One key signs in one process.
    await stop('node');
    await start('drill', urlOf(2));
    assert.equal(await identity('drill', urlOf(2)), agent);
    await stop('drill');
  });

  it('moves the store of the aggregator by one file into an empty one', async () => {
    await stop('aggregator');
    const settings = JSON.parse(await readFile(file('aggregator'), 'utf8'));
    await mesh('export', join(folder, 'store.jsonl'), '--config', file('aggregator'));
    await cp(join(folder, 'aggregator'), join(folder, 'moved'), { recursive: true });
    const storage = { ...settings.storage, prefix: 'moved' };
    await configure('moved', { ...settings, dataDir: join(folder, 'moved'), storage });
    await mesh('import', join(folder, 'store.jsonl'), '--config', file('moved'));
    await start('moved', urlOf(0));
    await listed(urlOf(0), agent);
  });
});
