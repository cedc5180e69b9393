import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly any[];
}

/** Stands between nodes and a ledger's RPC, and can be told to lose calls of a method on their way. */
export class RpcProxy {
  readonly #server: Server;
  readonly lost = new Set<string>();
  /** What is answered instead, given the call and the ledger's answer. */
  rewrite: ((call: RpcCall, answer: any) => any) | undefined;
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
    const call = JSON.parse(body.toString()) as RpcCall;
    const { method } = call;
    if (this.lost.has(method)) throw new Error('lost');
    this.passed[method] = (this.passed[method] ?? 0) + 1;
    const headers = { 'content-type': 'application/json' };
    const text = await (await fetch(this.target, { method: 'POST', headers, body: new Uint8Array(body) })).text();
    return this.rewrite ? JSON.stringify(this.rewrite(call, JSON.parse(text))) : text;
  }
}
