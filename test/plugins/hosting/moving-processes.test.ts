import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { freePort, MeshProcess } from '../../support/mesh-process.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { ask, Guest, type Inn } from './support/hosted.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];
/** Milliseconds after which a host is killed that was asked for a step: before it, in the middle, and when it is done. */
const MOMENTS = [0, 10, 40];

/** A host as a process of its own, started from the command line. */
class Host implements Inn {
  readonly #folder: string;
  readonly #port: number;
  #process: MeshProcess | undefined;
  readonly secret = 'a-secret-of-the-operator-of-this-host';

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  static async make(folder: string, aggregator: string, storage: object): Promise<Host> {
    const port = await freePort();
    const settings = {
      ...{ profile: 'node', listen: `127.0.0.1:${port}`, dataDir: './data', network: { id: 'mesh-tests' } },
      ...{ mesh: { aggregators: [aggregator], allowPrivatePeers: true, beaconSecs: 3 }, storage },
      ...{ api: { unlimited: ['127.0.0.1'] }, plugins: { hosting: { registrationsPerMinute: 6_000 } } },
    };
    await writeFile(join(folder, 'plugins.json'), JSON.stringify(settings));
    return new Host(folder, port);
  }

  async start(): Promise<void> {
    const given = ['--config', join(this.#folder, 'plugins.json'), '--hosting', '--api-secret', this.secret];
    this.#process = new MeshProcess(['start', ...given]);
    await this.#process.until(() => /^node \S+ at http/m.test(this.#process!.err), 'the boot report', 200_000);
  }

  /** Asks for a step, kills the process after a while, and starts it again. */
  async killed(step: () => Promise<unknown>, after: number): Promise<void> {
    const answer = step().catch(() => undefined);
    await new Promise((later) => setTimeout(later, after));
    await this.#process!.stop('SIGKILL');
    await answer;
    await this.start();
  }

  async end(): Promise<void> {
    await this.#process?.kill();
  }
}

for (const use of STORES)
  describe(`a move between hosts whose processes are killed, on ${use}`, function () {
    this.timeout(600_000);
    let redis: RedisServer | undefined;
    let mesh: Mesh<'far'>;
    let inn: Host;
    let manor: Host;
    const folders: string[] = [];
    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      mesh = await startMesh({ nodes: ['far'] });
      const host = async (prefix: string) => {
        const folder = await mkdtemp(join(tmpdir(), 'mesh-host-'));
        folders.push(folder);
        const storage = redis ? { use, url: redis.url, prefix } : { use };
        return Host.make(folder, mesh.aggregatorNode.url, storage);
      };
      [inn, manor] = [await host('inn'), await host('manor')];
      await inn.start();
      await manor.start();
    });
    after(async () => {
      await inn?.end();
      await manor?.end();
      await mesh?.stop();
      await redis?.stop();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    });

    it('is done once, whenever one of them is killed', async () => {
      for (const [round, after] of MOMENTS.entries()) {
        const old = await Guest.register(() => inn, { name: `guest ${round}` });
        const next = await Guest.register(() => manor);
        const naming = () => old.call('POST /hosted/move', { successor: next.id });
        await inn.killed(naming, after);
        const { body: notice, status } = await naming();
        assert.equal(status, 200, JSON.stringify(notice));
        const taking = () => next.call('POST /hosted/take-over', notice);
        await manor.killed(taking, after);
        const done = await happens('it is taken over', async () => {
          const answer = await taking();
          return answer.status === 200 ? answer.body : undefined;
        });
        assert.deepEqual([done.agent_id, done.successor], [old.id, next.id]);
        // The old host is killed while it is told.
        await inn.killed(taking, after);
        const session = await next.does('GET /hosted/session');
        assert.deepEqual([session.name, session.predecessor], [`guest ${round}`, old.id]);
        await happens(
          'the old host signs nothing more',
          async () => {
            await new Promise((later) => setTimeout(later, 500));
            const hello = { msg_type: 'MESSAGE', recipient: mesh.nodes.far.id, payload: { text: 'hello' } };
            return (await old.call('POST /hosted/send', hello)).body.code === 'agent_moved' || undefined;
          },
          60_000,
        );
        const { body } = await ask(mesh.aggregatorNode.url, `GET /agents/${old.id}`);
        assert.equal(body.successor, next.id);
      }
    });
  });
