import { request, type Server } from 'node:http';
import { Duplex } from 'node:stream';
import type { Clock } from '../../../core/clock.ts';
import type { HttpNetwork } from '../../../core/http/network.ts';

/** One end of a connection in memory, with the parts of a TCP socket that HTTP servers ask for. */
class Wire extends Duplex {
  readonly remoteAddress: string;
  #peer: Wire | undefined;
  #resume: (() => void) | undefined;

  private constructor(remoteAddress: string) {
    super({ allowHalfOpen: true });
    this.remoteAddress = remoteAddress;
  }

  static pair(callerAddress: string): [caller: Wire, server: Wire] {
    const [caller, server] = [new Wire('127.0.0.1'), new Wire(callerAddress)];
    caller.#peer = server;
    server.#peer = caller;
    return [caller, server];
  }

  override _read(): void {
    const resume = this.#peer!.#resume;
    this.#peer!.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.#peer!.destroyed || this.#peer!.push(chunk)) done();
    else this.#resume = done;
  }

  override _final(done: () => void): void {
    if (!this.#peer!.destroyed) this.#peer!.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const peer = this.#peer!;
    process.nextTick(() => peer.destroy());
    done(error);
  }

  /** Writes what waits, then closes. */
  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.end(() => this.destroy());
  }
}

/**
 * HTTP between the nodes of one process, by host name: Node's own client, parser and server over pipes in memory. Every
 * call and every answer takes `latency` milliseconds of the given clock.
 */
export class VirtualHttp {
  readonly #clock: Clock;
  readonly #latency: () => number;
  readonly #servers = new Map<string, { readonly server: Server; readonly open: Set<Wire> }>();
  readonly #away = new Set<string>();
  #addresses = 0;

  constructor(clock: Clock, latency: () => number) {
    this.#clock = clock;
    this.#latency = latency;
  }

  /** The network as one host sees it: servers opened here are reached under its name. */
  host(name: string): HttpNetwork {
    this.#addresses += 1;
    const address = `10.0.${this.#addresses >> 8}.${this.#addresses & 255}`;
    return {
      listen: async (server) => {
        const open = new Set<Wire>();
        this.#servers.set(name, { server, open });
        return { port: 80, close: () => this.#close(name, open) };
      },
      fetch: (input, init) => this.#fetch(address, new URL(String(input)), init ?? {}),
    };
  }

  /** Calls to this host find nobody, until `back`. */
  away(name: string): void {
    this.#away.add(name);
  }

  back(name: string): void {
    this.#away.delete(name);
  }

  async #close(name: string, open: ReadonlySet<Wire>): Promise<void> {
    this.#servers.delete(name);
    await Promise.all([...open].map((wire) => new Promise((resolve) => wire.once('close', resolve))));
  }

  async #fetch(from: string, url: URL, init: RequestInit): Promise<Response> {
    await this.#clock.sleep(this.#latency(), init.signal ?? undefined);
    const found = this.#away.has(url.hostname) ? undefined : this.#servers.get(url.hostname);
    if (!found) throw new TypeError('fetch failed', { cause: new Error(`nobody listens at ${url.host}`) });
    const [caller, server] = Wire.pair(from);
    found.open.add(server);
    server.once('close', () => found.open.delete(server));
    found.server.emit('connection', server);
    const response = await ask(caller, url, init);
    await this.#clock.sleep(this.#latency(), init.signal ?? undefined);
    return response;
  }
}

function ask(wire: Wire, url: URL, { method = 'GET', headers, body, signal }: RequestInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: headers as Record<string, string>, createConnection: () => wire };
    const asked = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => {
        const status = answer.statusCode!;
        const text = status === 204 ? null : Buffer.concat(chunks).toString();
        resolve(new Response(text, { status, headers: answer.headers as Record<string, string> }));
      });
    });
    const stop = () => asked.destroy(signal!.reason);
    signal?.addEventListener('abort', stop, { once: true });
    asked.once('close', () => signal?.removeEventListener('abort', stop));
    asked.once('error', reject);
    asked.end(body as string | undefined);
  });
}
