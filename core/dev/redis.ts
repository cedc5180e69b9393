import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { UsageError } from './options.ts';

export interface DevRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** What a server that loses nothing is told. */
const STRICT = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--maxmemory-policy', 'noeviction'];
/** Starts the server beside a shell that reads from us: when we are gone, however that came, it ends the server. */
const WATCHED = 'redis-server "$@" >/dev/null & server=$!; cat >/dev/null; kill "$server" 2>/dev/null; wait "$server"';
const PATIENCE = 10_000;
const LOOK = 50;

/** A Redis of this mesh's own, with its files in this folder. */
export async function startRedis(folder: string, port: number): Promise<DevRedis> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const settings = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--daemonize', 'no', ...STRICT];
  // In a process group of its own, so that Ctrl-C reaches it last: the nodes have to finish writing.
  const options = { stdio: ['pipe', 'ignore', 'pipe'] as ('pipe' | 'ignore')[], detached: true };
  const watched = spawn('sh', ['-c', WATCHED, 'sh', ...settings], options) as ChildProcessByStdio<
    Writable,
    null,
    Readable
  >;
  let said = '';
  watched.stderr.on('data', (text) => {
    said = (said + text).slice(-200);
  });
  const ended = once(watched, 'exit');
  const deadline = Date.now() + PATIENCE;
  while (!(await answers(port))) {
    if (watched.exitCode === null && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, LOOK));
      if (!/not found/.test(said)) continue;
    }
    watched.stdin.end();
    throw new UsageError(
      /not found/.test(said)
        ? '--storage redis needs a redis-server: install it, for instance with apt-get install redis-server.'
        : `The redis-server for --storage redis did not start: ${said.trim() || 'it said nothing'}.`,
    );
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      watched.stdin.end();
      await ended;
    },
  };
}

/** Whether a Redis there answers a PING. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (reply) => end(reply.toString().startsWith('+PONG')));
    socket.once('error', () => end(false));
    socket.setTimeout(1_000, () => end(false));
    function end(answered: boolean) {
      socket.destroy();
      resolve(answered);
    }
  });
}
