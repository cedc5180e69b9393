import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';

/** Debian's redis-tools holds the server under the name of a tool; which one it is depends on the name it is given. */
const PROGRAMS = ['redis-server', 'valkey-server', 'redis-check-rdb'];

/** The server program on the PATH; undefined when there is none. */
export function findRedis(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** What a server that loses nothing is told. */
const STRICT = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];

/** Servers outlive no test process, however it ends, as far as it can still say so. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A Redis of the test's own: a free port, a folder that goes with it, gone at `stop`. */
export class RedisServer {
  readonly port: number;
  /** Where it keeps its files. */
  readonly dir: string;
  readonly #settings: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, dir: string, settings: readonly string[]) {
    this.port = port;
    this.dir = dir;
    this.#settings = settings;
  }

  static async start(settings: readonly string[] = STRICT): Promise<RedisServer> {
    const dir = await mkdtemp(join(tmpdir(), 'mesh-redis-'));
    const server = new RedisServer(await freePort(), dir, settings);
    await server.begin();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}/0`;
  }

  /** Starts again on the same port with what is in the folder. Throws when it is not this server that answers. */
  async begin({ wait = true, settings = this.#settings } = {}): Promise<void> {
    const program = findRedis();
    if (!program) throw new Error('there is no redis-server on the PATH');
    const place = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.dir, '--daemonize', 'no'];
    const child = spawn(program, [...place, ...settings], {
      argv0: 'redis-server',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    running.add(child);
    child.once('exit', () => running.delete(child));
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout!.on('data', (data) => {
        log = (log + data).slice(-4_000);
        if (/Ready to accept connections/.test(log) || (!wait && /Server initialized/.test(log))) resolve();
      });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`redis-server did not start: ${log}`)));
    });
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  /** Stops it for a while, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** One command to it. */
  async tell(...command: readonly [string, ...string[]]): Promise<unknown> {
    const redis = new Redis(this.url);
    try {
      return await redis.call(...command);
    } finally {
      redis.disconnect();
    }
  }

  async stop(): Promise<void> {
    await this.kill('SIGKILL');
    // A server that rewrites its file does so in a process of its own, which ends a moment after it.
    await rm(this.dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A group of tests that start servers; without the program it is one skipped test that says so. */
export function describeRedis(name: string, body: (this: Mocha.Suite) => void): void {
  if (findRedis()) describe(name, body);
  else describe(name, () => it.skip('needs a redis-server on the PATH'));
}

/** Takes a store out of a Redis that goes on without it. */
export async function removeStore(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `{${prefix}}*`, 'COUNT', 1_000);
    if (keys.length > 0) await redis.unlink(...keys);
    cursor = next;
  } while (cursor !== '0');
  redis.disconnect();
}
