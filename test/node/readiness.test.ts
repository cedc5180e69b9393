import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import { Tmpfs } from '../storage/tmpfs.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { freePort } from '../support/mesh-process.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';

interface Readiness {
  readonly http: number;
  readonly ms: number;
  readonly status: string;
  readonly services: Record<string, { state: string; detail?: string; remedy?: string; unready?: boolean }>;
}

async function readiness(node: Member): Promise<Readiness> {
  const began = performance.now();
  const { status: http, body } = await node.get('/ready');
  return { http, ms: performance.now() - began, ...body };
}

describe('/ready of a node and what it reports to', function () {
  this.timeout(60_000);
  let mesh: Mesh<'node'>;
  let warnings: { text: string; fields: Record<string, unknown> }[];
  const log: Log = {
    ...silentLog,
    warn: (fields, text) => void warnings.push({ text: text ?? '', fields: { ...fields } }),
    child: () => log,
  };

  beforeEach(() => {
    warnings = [];
  });
  afterEach(() => mesh?.stop());

  const start = async (settings: Record<string, unknown>) => {
    mesh = await startMesh({ nodes: ['node'], log, isolated: true, own: { node: settings } });
    return mesh.nodes.node;
  };
  const about = (name: string) => warnings.filter(({ fields }) => name in fields);

  it('names store, disk, mesh and aggregators, and all are well', async () => {
    const node = await start({});
    await happens(
      'the hub is reached',
      async () => (await node.client.peers()).some(({ connected }) => connected) || undefined,
    );
    const { http, status, services } = await readiness(node);
    assert.deepEqual([http, status], [200, 'ok']);
    assert.deepEqual(Object.keys(services).sort(), ['aggregators', 'disk', 'mesh', 'store']);
    assert.deepEqual(warnings, []);
  });

  it('warns once of an aggregator that was never there, by both names, says what helps, and heals when it comes', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const node = await start({ mesh: { aggregators: [url] } });
    const found = await readiness(node);
    assert.deepEqual([found.http, found.status], [200, 'degraded']);
    const { detail, remedy } = found.services['aggregators']!;
    assert.match(detail!, new RegExp(`^The aggregator ${url} of the network "mesh-tests" is away: .*ECONNREFUSED`));
    assert.match(remedy!, /--aggregator-url/);
    await happens('the hub is missed, too', async () => (await readiness(node)).services['mesh']!.detail);
    for (let index = 0; index < 3; index += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1_050));
      await readiness(node);
    }
    assert.deepEqual(
      about('aggregator').map(({ text }) => text),
      [detail],
    );
    assert.equal(about('hub').length, 1);

    const value = {
      ...{ profile: 'aggregator', listen: new URL(url).host, dataDir: join(mesh.folder, 'late') },
      ...{ network: { id: 'mesh-tests' }, storage: { use: 'memory' } },
    };
    const late = await startNode({ parts: { adapters, plugins: {} }, log, config: { value } });
    try {
      await happens('all is well', async () => (await readiness(node)).status === 'ok' || undefined);
    } finally {
      await late.stop();
    }
  });

  it('shows within a second that its aggregator is gone', async () => {
    const node = await start({});
    await happens('all is well', async () => (await readiness(node)).status === 'ok' || undefined);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await mesh.aggregatorNode.stop();
    const { http, ms, status, services } = await readiness(node);
    assert.ok(ms < 1_000);
    assert.deepEqual([http, status], [200, 'degraded']);
    assert.match(services['mesh']!.detail!, /^The hub ws:\/\/127\.0\.0\.1:\d+\/mesh is not reached: .*None is left/);
    assert.match(services['mesh']!.remedy!, /mesh-tests; they are dialled again and again\.$/);
    assert.match(services['aggregators']!.detail!, /is away/);
    assert.equal(about('aggregator').length, 1);
  });

  it('says that an aggregator is of another network, with both names and the way out', async () => {
    const node = await start({ network: { id: 'somewhere-else' } });
    const { detail, remedy } = await happens('it shows', async () => {
      const { aggregators } = (await readiness(node)).services;
      return aggregators?.detail === undefined ? undefined : aggregators;
    });
    assert.match(detail!, /is of the network "mesh-tests", this node of "somewhere-else": it takes nothing/);
    assert.match(remedy!, /--network-id\) "mesh-tests"/);
    const { http, status, services } = await readiness(node);
    assert.deepEqual([http, status], [200, 'degraded']);
    await happens(
      'the handshake fails, too',
      async () => services['mesh']!.detail ?? (await readiness(node)).services['mesh']!.detail,
    );
    assert.deepEqual(
      about('aggregator').map(({ text }) => text),
      [detail],
    );
  });

  it('repeats a warning once an hour, while it holds', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const node = await start({ mesh: { aggregators: [url] } });
    const said = async () => {
      await readiness(node);
      return about('aggregator').length;
    };
    assert.equal(await said(), 1);
    for (const [minutes, times] of [
      [30, 1],
      [29, 1],
      [2, 2],
      [58, 2],
      [2, 3],
    ] as const) {
      mesh.advance(minutes * 60);
      assert.equal(await said(), times, `after ${minutes} more minutes`);
    }
  });

  it('says that the disk of its data is nearly full, before it is (skipped without leave to mount a tmpfs)', async function () {
    const tmpfs = await Tmpfs.mount('1m');
    if (!tmpfs) this.skip();
    try {
      const node = await start({ dataDir: tmpfs.dir });
      assert.equal((await readiness(node)).services['disk']!.state, 'ok');
      await writeFile(join(tmpfs.dir, 'filling'), Buffer.alloc(1_000_000));
      const { detail, remedy } = await happens('it shows', async () => {
        const { http, services } = await readiness(node);
        assert.equal(http, 200);
        return services['disk']!.detail === undefined ? undefined : services['disk'];
      });
      assert.match(detail!, /^Only 0\.0 MiB are free on the disk of /);
      assert.match(remedy!, /^Make room on that disk/);
      const [metric] =
        /^mesh_service_ok\{service="disk"\} 0$/m.exec(await (await fetch(`${node.url}/metrics`)).text()) ?? [];
      assert.ok(metric);
      await rm(join(tmpfs.dir, 'filling'));
      await happens('it is over', async () => (await readiness(node)).services['disk']!.state === 'ok' || undefined);
      assert.equal(warnings.filter(({ text }) => text.includes('nearly full')).length, 1);
    } finally {
      await mesh.stop();
      await tmpfs.unmount();
    }
  });

  it('tells everybody which network an aggregator is of', async () => {
    await start({});
    const answer = await fetch(`${mesh.aggregatorNode.url}/network`);
    assert.deepEqual(await answer.json(), { network_id: 'mesh-tests', envelope_version: 2, epoch_secs: 86_400 });
  });
});

describeRedis('/ready of a node whose Redis goes away', function () {
  this.timeout(60_000);
  let redis: RedisServer;
  let mesh: Mesh<'node'>;

  beforeEach(async () => {
    redis = await RedisServer.start();
    const storage = { use: 'redis', url: redis.url, prefix: 'ready' };
    mesh = await startMesh({ nodes: ['node'], isolated: true, own: { node: { storage } } });
    assert.equal((await readiness(mesh.nodes.node)).http, 200);
  });
  afterEach(async () => {
    redis.signal('SIGCONT');
    await mesh.stop();
    await redis.stop();
  });

  /** Whoever asks from now on is told within a second. */
  const isGone = async (reason: RegExp) => {
    const began = performance.now();
    for (let found = await readiness(mesh.nodes.node); ; found = await readiness(mesh.nodes.node)) {
      assert.ok(performance.now() - began < 1_000, JSON.stringify(found));
      if (found.http === 200) continue;
      const { http, status, services } = found;
      assert.deepEqual([http, status, services['store']!.unready], [503, 'unavailable', true]);
      assert.match(services['store']!.detail!, reason);
      assert.match(services['store']!.remedy!, /goes on by itself/);
      return;
    }
  };
  const isBack = () =>
    happens('it is ready again', async () => (await readiness(mesh.nodes.node)).http === 200 || undefined);

  it('says so within a second when it hangs, and goes on by itself', async () => {
    redis.signal('SIGSTOP');
    await isGone(/has not answered for 0\.6 seconds/);
    await isGone(/./);
    redis.signal('SIGCONT');
    await isBack();
  });

  it('says so within a second when it was killed, and goes on by itself when it is started again', async () => {
    await redis.kill('SIGKILL');
    await isGone(/./);
    await happens('it says where', async () => {
      const { http, services } = await readiness(mesh.nodes.node);
      assert.equal(http, 503);
      return /no connection to Redis at 127\.0\.0\.1/.test(services['store']!.detail!) || undefined;
    });
    await redis.begin();
    await isBack();
  });

  it('says so when it takes no writes', async () => {
    await redis.tell('REPLICAOF', '127.0.0.1', '1');
    await isGone(/read-only|not answered/);
    await redis.tell('REPLICAOF', 'NO', 'ONE');
    await isBack();
  });
});
