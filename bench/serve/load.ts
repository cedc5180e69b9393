import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One connection that asks for one thing after the other and spends as little as it can on the answers. */
export class Caller {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #size = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #answered: ((body: string) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('close', () => this.#answered?.(''));
  }

  static async open(url: string): Promise<Caller> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Caller(socket);
  }

  /** The body of the answer; throws when the status is not 200. */
  get(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#answered = (answer) => {
        if (answer.startsWith('HTTP/1.1 200')) resolve(answer.slice(answer.indexOf('\r\n\r\n') + 4));
        else reject(new Error(`${path}: ${answer.slice(0, 500)}`));
      };
      this.#socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    });
  }

  close(): void {
    this.#answered = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#size += chunk.length;
    if (this.#wanted === Number.POSITIVE_INFINITY) {
      const head = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = /content-length: (\d+)/i.exec(head.toString('latin1', 0, end));
      this.#wanted = end + 4 + Number(length?.[1] ?? 0);
    }
    if (this.#size < this.#wanted) return;
    const answer = Buffer.concat(this.#received).toString();
    this.#received = [];
    this.#size = 0;
    this.#wanted = Number.POSITIVE_INFINITY;
    this.#answered?.(answer);
  }
}

/** Asks over all connections for `ms` milliseconds; gives how long it took, and each wait, in milliseconds. */
export async function ask(
  callers: readonly Caller[],
  pathOf: () => string,
  ms: number,
): Promise<{ readonly took: number; readonly waits: readonly number[] }> {
  const waits: number[] = [];
  const began = performance.now();
  await Promise.all(
    callers.map(async (caller) => {
      for (let now = performance.now(); now - began < ms; ) {
        await caller.get(pathOf());
        const after = performance.now();
        waits.push(after - now);
        now = after;
      }
    }),
  );
  return { took: performance.now() - began, waits };
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
