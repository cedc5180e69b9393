import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Peer } from './work.ts';

/** A peer in a process of its own. */
export class Asked {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(answer: any): void; reject(error: Error): void }>();
  #asked = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', ({ id, answer, failed }: { id: number; answer?: unknown; failed?: string }) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (failed === undefined) waiting?.resolve(answer);
      else waiting?.reject(new Error(failed));
    });
  }

  static async start(script: string, args: readonly string[]): Promise<Asked> {
    const execArgv = process.env['BENCH_PEER_ARGS']?.split(' ') ?? [];
    const child = fork(script, args, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`${script} ended with ${code}`))),
    ]);
    return new Asked(child);
  }

  ask<A extends keyof Peer>(ask: A, ...args: Parameters<Peer[A]>): ReturnType<Peer[A]> {
    this.#asked += 1;
    const id = this.#asked;
    const answer = new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, ask, args });
    });
    return answer as ReturnType<Peer[A]>;
  }

  close(): void {
    this.#child.disconnect();
  }
}
