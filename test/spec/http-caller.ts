import { Agent, request } from 'node:http';
import { UNLIMITED } from './processes.ts';

export interface Asked {
  readonly method: string;
  /** Path and query as they go out, unchanged. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body when it is JSON of any kind. */
  readonly json: any;
}

/** Longer than this and the call counts as hanging. */
const PATIENCE = 2_000;

/** Calls one server over kept connections; rejects when an answer takes longer than two seconds. */
export class HttpCaller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  readonly #base: URL;
  calls = 0;

  constructor(url: string) {
    this.#base = new URL(url);
  }

  /** Every call comes from the address that no limit counts, as a proxy would say. */
  call({ method, target, headers: given = {}, body }: Asked): Promise<Answered> {
    this.calls += 1;
    const headers = {
      'x-forwarded-for': UNLIMITED,
      ...given,
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        { agent: this.#agent, host: this.#base.hostname, port: this.#base.port, method, path: target, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            clearTimeout(timer);
            const text = Buffer.concat(chunks).toString();
            const type = response.headers['content-type'] ?? '';
            const json = /json/.test(type) && text !== '' ? JSON.parse(text) : undefined;
            resolve({ status: response.statusCode ?? 0, type, headers: response.headers, text, json });
          });
        },
      );
      sent.on('upgrade', (response, socket) => {
        clearTimeout(timer);
        socket.destroy();
        resolve({ status: 101, type: '', headers: response.headers, text: '', json: undefined });
      });
      const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${PATIENCE} ms`)), PATIENCE);
      sent.on('error', (error) => {
        clearTimeout(timer);
        reject(new Error(`${method} ${target.slice(0, 120)}: ${error.message}`));
      });
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
