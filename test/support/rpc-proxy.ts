import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands between nodes and a ledger's RPC, and can be told to lose calls of a method on their way. */
export class RpcProxy {
  readonly #server: Server;
  readonly lost = new Set<string>();
  /** What becomes of the `result` of a method, given that and the call's `params`. */
  readonly changed = new Map<string, (result: any, params: any) => unknown>();
  /** Calls that got through, by method. */
  readonly passed: Record<string, number> = {};
  target = '';

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on(
        'end',
        () =>
          void this.#forward(Buffer.concat(chunks)).then(
            (text) => response.setHeader('content-type', 'application/json').end(text),
            () => response.destroy(),
          ),
      );
    });
  }

  static async start(): Promise<RpcProxy> {
    const proxy = new RpcProxy();
    await new Promise<void>((listening) => proxy.#server.listen(0, '127.0.0.1', listening));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((closed) => this.#server.close(closed));
  }

  async #forward(body: Buffer): Promise<string> {
    const { method, params } = JSON.parse(body.toString()) as { method: string; params: unknown };
    if (this.lost.has(method)) throw new Error('lost');
    this.passed[method] = (this.passed[method] ?? 0) + 1;
    const headers = { 'content-type': 'application/json' };
    const text = await (await fetch(this.target, { method: 'POST', headers, body: new Uint8Array(body) })).text();
    const change = this.changed.get(method);
    if (!change) return text;
    const answer = JSON.parse(text);
    return JSON.stringify('result' in answer ? { ...answer, result: change(answer.result, params) } : answer);
  }
}
