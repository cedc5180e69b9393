import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import { UsageError } from '../command.ts';

export interface DevRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** Arguments of a server that loses no acknowledged write and evicts no key. */
const STRICT = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--maxmemory-policy', 'noeviction'];
/**
 * Runs the server in a shell that reads from us: when we are gone, however that came, it ends the server. When the server
 * is gone, the shell ends.
 */
const WATCHED =
  'exec 3<&0; redis=$(command -v redis-server || command -v valkey-server || echo redis-server); ' +
  '"$redis" "$@" >&2 3<&- & server=$!; { cat >/dev/null; kill "$server"; } <&3 2>/dev/null & ' +
  'wait "$server"; kill "$!" 2>/dev/null';
const PATIENCE = 10_000;
const LOOK = 50;
/** Characters of the server's last output that an error quotes. */
const SAID = 500;
/** Between two starts of a server that ends; longer every time until one has stayed. */
const PAUSE = 500;
const LONGEST_PAUSE = 30_000;
const STAYED = 10_000;
const NOT_FOUND = /redis-server: (command )?not found/;

type Watched = ChildProcessByStdio<Writable, null, Readable>;

/** A Redis of this mesh's own, with its files in this folder. When it ends before `stop`, it is started again. */
export async function startRedis(folder: string, port: number, log: Log): Promise<DevRedis> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let watched = launch(folder, port);
  let ended = once(watched, 'exit');
  await untilReady(watched, port);
  const url = `redis://127.0.0.1:${port}`;
  const stopping = new AbortController();
  const kept = keep();
  async function keep(): Promise<void> {
    for (let pause = PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const since = performance.now();
      await ended;
      if (stopping.signal.aborted) return;
      if (performance.now() - since > STAYED) pause = PAUSE;
      log.error({ redis: url }, 'the redis-server ended; it is started again, with all that was acknowledged');
      await setTimeout(pause, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      watched = launch(folder, port);
      ended = once(watched, 'exit');
    }
  }
  return {
    url,
    async stop() {
      stopping.abort();
      watched.stdin.end();
      await kept;
    },
  };
}

function launch(folder: string, port: number): Watched {
  const settings = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--daemonize', 'no', ...STRICT];
  // In a process group of its own, so that Ctrl-C reaches it last: the nodes have to finish writing.
  const options = { stdio: ['pipe', 'ignore', 'pipe'] as ('pipe' | 'ignore')[], detached: true };
  const watched = spawn('sh', ['-c', WATCHED, 'sh', ...settings], options) as Watched;
  // An unread pipe would block the server once it is full; and the server may end while we write to it.
  watched.stderr.resume();
  watched.stdin.on('error', () => {});
  return watched;
}

/** Rejects with a sentence when no server comes up. */
async function untilReady(watched: Watched, port: number): Promise<void> {
  let said = '';
  watched.stderr.on('data', (text) => {
    said = (said + text).slice(-SAID);
  });
  const deadline = Date.now() + PATIENCE;
  while (!(await answers(port))) {
    if (watched.exitCode === null && Date.now() < deadline) {
      await setTimeout(LOOK);
      if (!NOT_FOUND.test(said)) continue;
    }
    watched.stdin.end();
    throw new UsageError(
      NOT_FOUND.test(said)
        ? '--storage redis needs a redis-server: install it, for instance with apt-get install redis-server (valkey-server does, too).'
        : `The redis-server for --storage redis did not start. It said: ${said.trim() || 'nothing'}`,
    );
  }
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
