import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { scriptFile } from '../framework/script.ts';

/** Many clients of one stream, in a process of their own. */
export class Watchers {
  readonly #child: ChildProcess;
  readonly #count: number;
  #bytes = 0;

  private constructor(child: ChildProcess, count: number) {
    this.#child = child;
    this.#count = count;
  }

  static async open(port: number, path: string, count: number): Promise<Watchers> {
    const child = fork(scriptFile('fanout/clients.js'), [String(port), path, String(count)], { execArgv: [] });
    await once(child, 'message');
    return new Watchers(child, count);
  }

  /** Resolves when each has got so many bytes more. */
  async got(bytes: number): Promise<void> {
    this.#bytes += bytes * this.#count;
    this.#child.send({ until: this.#bytes });
    await once(this.#child, 'message');
  }

  close(): void {
    this.#child.kill();
  }
}
