import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dice } from '../storage/dice.ts';

/** How a reply is spoiled. All but `member`, `slow` and `well` leave none that could be taken for one of the service. */
export type Spoiling = (typeof SPOILINGS)[number];

export const SPOILINGS = [
  ...['truncated', 'twice', 'empty', 'page', 'other-type', 'huge', 'deep', 'bytes', 'cut', 'status'],
  ...['member', 'missing', 'slow', 'well'],
] as const;
const USABLE: ReadonlySet<Spoiling> = new Set(['member', 'missing', 'slow', 'well']);

const STATUSES = [201, 302, 400, 404, 418, 500, 503, 599];
const OTHERS = [
  ...[
    null,
    true,
    0,
    -1,
    1e308,
    'x',
    '',
    [],
    {},
    [[]],
    '9'.repeat(400),
    '-0.0000001',
    'NaN',
    '\u0000',
    '0x',
    '__proto__',
  ],
];
/** More than any reply of a service may be. */
const HUGE = 12 * 1024 * 1024;
const DEEP = 100_000;

/** Stands before a stand-in and spoils its replies by dice; what it is asked goes on unchanged. */
export class FuzzProxy {
  readonly url: string;
  spoiling: Spoiling = 'well';
  /** How many replies were spoiled. */
  spoiled = 0;
  readonly #server: Server;
  readonly #target: string;
  readonly #dice: Dice;

  private constructor(server: Server, target: string, dice: Dice) {
    this.#server = server;
    this.#target = new URL(target).origin;
    this.#dice = dice;
    const { port } = server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}${new URL(target).pathname.replace(/\/$/, '')}`;
    server.on('request', (request, response) => void this.#serve(request, response).catch(() => response.destroy()));
  }

  static async before(target: string, dice: Dice): Promise<FuzzProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FuzzProxy(server, target, dice);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Whether nothing that the service says gets through. */
  get isHopeless(): boolean {
    return !USABLE.has(this.spoiling);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(this.#target + request.url, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    if (this.spoiling !== 'well') this.spoiled += 1;
    const type = { 'content-type': answer.headers.get('content-type') ?? 'application/json' };
    switch (this.spoiling) {
      case 'cut':
        response.writeHead(answer.status, { ...type, 'content-length': Buffer.byteLength(text) + 10 });
        response.write(text.slice(0, text.length / 2), () => response.destroy());
        return;
      case 'status':
        response.writeHead(this.#dice.of(STATUSES), { ...type, location: 'http://127.0.0.1:9/elsewhere' });
        response.end(this.#dice.of(['', '{}', '{"error":{}}', '{"message":["a"]}', '[', text]));
        return;
      case 'slow':
        response.writeHead(answer.status, type);
        for (const letter of parts(text, 8)) {
          response.write(letter);
          await new Promise((resolve) => setTimeout(resolve, 15));
        }
        response.end();
        return;
      default:
        response.writeHead(answer.status, type);
        response.end(this.#spoilt(text));
    }
  }

  #spoilt(text: string): string | Buffer {
    const dice = this.#dice;
    switch (this.spoiling) {
      case 'truncated':
        return text.slice(0, dice.below(Math.max(1, text.length - 1)));
      case 'twice':
        return text + text;
      case 'empty':
        return '';
      case 'page':
        return '<!doctype html><html><body>We are back soon.</body></html>';
      case 'other-type':
        return JSON.stringify(dice.of(['text', 7, null, true, [[[]]], { data: { data: [] } }]));
      case 'huge':
        return `{"success":true,"response":"${'a'.repeat(HUGE)}"}`;
      case 'deep':
        return '['.repeat(DEEP) + ']'.repeat(DEEP);
      case 'bytes':
        return Buffer.from(Array.from({ length: 200 }, () => dice.below(256)));
      case 'member':
        return this.#changed(text, (of, key) => {
          of[key] = dice.of(OTHERS);
        });
      case 'missing':
        return this.#changed(text, (of, key) => {
          delete of[key];
        });
      default:
        return text;
    }
  }

  /** The reply with one of its members changed, wherever it lies. */
  #changed(text: string, change: (of: any, key: string) => void): string {
    let reply: unknown;
    try {
      reply = JSON.parse(text);
    } catch {
      return text;
    }
    const places: [object, string][] = [];
    const walk = (value: unknown) => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        places.push([value, key]);
        walk(inner);
      }
    };
    walk(reply);
    if (places.length === 0) return 'null';
    change(...this.#dice.of(places));
    return JSON.stringify(reply);
  }
}

function parts(text: string, count: number): string[] {
  const length = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: count }, (_, index) => text.slice(index * length, (index + 1) * length));
}
