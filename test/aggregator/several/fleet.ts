import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisStorage } from '../../../adapters/storage-redis/index.ts';
import { SPACE } from '../../../core/aggregator/providers.ts';
import { writerRef } from '../../../core/aggregator/store/writer.ts';
import { loadContracts } from '../../../core/contracts/contracts.ts';
import { systemClock, systemRandom } from '../../../core/platform/system-clock.ts';
import { openStore, type Store } from '../../../core/storage/store.ts';
import { type Bundled, bundled } from '../../support/bundled.ts';
import { happens } from '../../support/happens.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { network } from '../support/agent.ts';

export interface Member {
  readonly name: string;
  readonly url: string;
  readonly child: ChildProcess;
  /** Sends a signal, and gives the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const plenty = 1_000_000;

/** Aggregators in processes of their own, over one Redis of their own. */
export class Fleet {
  readonly redis: RedisServer;
  readonly store: Store;
  readonly members = new Set<Member>();
  readonly #script: Bundled;
  readonly folder: string;

  private constructor(redis: RedisServer, store: Store, script: Bundled, folder: string) {
    this.redis = redis;
    this.store = store;
    this.#script = script;
    this.folder = folder;
  }

  static async open(): Promise<Fleet> {
    const script = await bundled('test/aggregator/several/process.ts');
    const redis = await RedisServer.start();
    const contracts = loadContracts();
    const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
    const adapter = redisStorage({ url: redis.url, prefix: 'fleet' });
    const store = await openStore(adapter, { clock: systemClock, random: systemRandom, validate });
    return new Fleet(redis, store, script, await mkdtemp(join(tmpdir(), 'mesh-fleet-')));
  }

  /** Rejects with the report of a boot that failed. A name that was used before has the same key. Its clock may be ahead by milliseconds. */
  async start(
    name: string,
    more: Record<string, unknown> = {},
    plugins: Record<string, unknown> = {},
    ahead = 0,
  ): Promise<Member> {
    const settings = {
      ...{ profile: 'aggregator', listen: '127.0.0.1:0', dataDir: join(this.folder, name), plugins },
      network: { id: network.name },
      storage: { use: 'redis', url: this.redis.url, prefix: 'fleet', blobs: join(this.folder, 'blobs') },
      api: { unlimited: ['127.0.0.1'], drainSecs: 0 },
      core: { ingest: { newKeysPerHour: plenty, newKeysPerHourInAll: plenty, itemsPerKeyPerMinute: plenty } },
      ...more,
    };
    const child = fork(this.#script.path, [JSON.stringify(settings), String(ahead)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const gone = once(child, 'exit');
    const [said] = (await Promise.race([once(child, 'message'), gone])) as [
      { url?: string; problem?: string } | number,
    ];
    const { url, problem } = Object(said) as { url?: string; problem?: string };
    if (url === undefined) {
      child.kill('SIGKILL');
      await gone;
      throw new Error(problem ?? `it ended with ${said}`);
    }
    const member: Member = {
      ...{ name, url, child },
      end: async (signal) => {
        this.members.delete(member);
        if (child.exitCode === null && child.signalCode === null) {
          child.kill(signal);
          await gone;
        }
        return child.exitCode;
      },
    };
    this.members.add(member);
    return member;
  }

  /** The member that is the writer, once there is one. */
  async writer(): Promise<Member> {
    return happens(
      'one of them is the writer',
      async () => {
        for (const member of this.members) {
          const text = await metricsOf(member).catch(() => '');
          if (/^mesh_writer 1$/m.test(text)) return member;
        }
        return undefined;
      },
      20_000,
    );
  }

  /** Waits until every other one hands over to the writer. */
  async settled(): Promise<Member> {
    const writer = await this.writer();
    const others = this.members.size - 1;
    await happens(
      'all others have reached the writer',
      async () => new RegExp(`^mesh_writer_askers ${others}$`, 'm').test(await metricsOf(writer)) || undefined,
      20_000,
    );
    return writer;
  }

  get space() {
    return this.store.space(SPACE);
  }

  lease() {
    return this.space.get(writerRef);
  }

  async close(): Promise<void> {
    await Promise.all([...this.members].map((member) => member.end('SIGKILL')));
    await this.store.close();
    await this.redis.stop();
    await this.#script.remove();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Loopback may read the metrics. */
export async function metricsOf({ url }: Pick<Member, 'url'>): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** The sum of a metric over its labels, 0 while it was never counted. */
export async function counted(member: Pick<Member, 'url'>, name: string, label = ''): Promise<number> {
  const rows = (await metricsOf(member)).split('\n').filter((row) => row.startsWith(name) && row.includes(label));
  return rows.reduce((sum, row) => sum + Number(row.split(' ').at(-1)), 0);
}
