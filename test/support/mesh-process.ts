import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { killGroup } from './process-group.ts';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface RunOptions {
  readonly by?: 'npm' | 'npx';
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

type Event = Record<string, any> & { readonly event: string };

/** The real command as a process of its own. */
export class MeshProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  out = '';
  err = '';
  readonly #ownsGroup: boolean;
  #over: Ended | undefined;

  /** `mesh ARGS`, or `npm ARGS` or `npx ARGS` in a process group of its own. */
  constructor(args: readonly string[], { by, cwd = packageRoot, env = {} }: RunOptions = {}) {
    const [command, ...before] = by ? [by] : [process.execPath, join(packageRoot, 'bin', 'mesh.js')];
    const { npm_lifecycle_event: _, ...own } = process.env;
    this.#ownsGroup = by !== undefined;
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    this.child = spawn(command!, [...before, ...args], {
      cwd,
      env: { ...own, ...env },
      stdio: [...stdio],
      detached: this.#ownsGroup,
    });
    this.child.stdout!.on('data', (chunk) => {
      this.out += chunk;
    });
    this.child.stderr!.on('data', (chunk) => {
      this.err += chunk;
    });
    this.ended = new Promise((resolve) =>
      this.child.once('close', (code, signal) => {
        this.#over = { code, signal };
        resolve(this.#over);
      }),
    );
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** The lines of `--json` so far; throws when one is no JSON. */
  get events(): Event[] {
    return this.out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** The first event like this one, when it has come. */
  async event(like: Record<string, unknown>, ms?: number): Promise<Event> {
    const isLike = (event: Event) => Object.entries(like).every(([key, value]) => event[key] === value);
    await this.until(() => this.events.some(isLike), `event ${JSON.stringify(like)}`, ms);
    return this.events.find(isLike)!;
  }

  async until(check: () => boolean, what: string, ms = 60_000): Promise<void> {
    for (const end = performance.now() + ms; !check(); ) {
      if (this.#over || performance.now() > end) {
        const why = this.#over ? `it ended with ${this.#over.code ?? this.#over.signal}` : `not within ${ms} ms`;
        throw new Error(`${what}: ${why}\n${this.out}\n${this.err}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Sends a signal; gives how it ended and how many milliseconds that took. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended & { readonly ms: number }> {
    const start = performance.now();
    this.child.kill(signal);
    return { ...(await this.ended), ms: performance.now() - start };
  }

  /** For afterEach: nothing stays behind a failed test, nor what an npm that is gone has started. */
  async kill(): Promise<void> {
    if (this.#ownsGroup) killGroup(this.pid);
    else if (!this.#over) this.child.kill('SIGKILL');
    await this.ended;
  }
}

/** Runs `mesh ARGS` to its end. */
export async function runMesh(args: readonly string[], options?: ConstructorParameters<typeof MeshProcess>[1]) {
  const run = new MeshProcess(args, options);
  const { code, signal } = await run.ended;
  return { code, signal, out: run.out, err: run.err };
}

/** The first of `count` neighbouring ports that are free now. */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 12_000);
    const ports = Array.from({ length: count }, (_, offset) => first + offset);
    if ((await Promise.all(ports.map((port) => isFree(port)))).every(Boolean)) return first;
  }
}

/** Options that keep a mesh away from every other one on this machine. */
export async function ownPorts(): Promise<string[]> {
  const first = await freePort(5);
  return ['--port', `${first}`, '--aggregator-port', `${first + 2}`, '--rpc-port', `${first + 3}`];
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
