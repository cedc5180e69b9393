import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An RPC node without a ledger: it answers what it is told to, by method. */
export class RpcStandIn {
  readonly #server: Server;
  answers: Record<string, (params: any) => unknown> = {};
  /** Calls by method. */
  readonly calls: Record<string, number> = {};

  private constructor() {
    this.#server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on('end', () => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(this.#answer(JSON.parse(text))));
      });
    });
  }

  static async start(): Promise<RpcStandIn> {
    const node = new RpcStandIn();
    await new Promise<void>((listening) => node.#server.listen(0, '127.0.0.1', listening));
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((closed) => this.#server.close(closed));
  }

  #answer({ id, method, params }: { id: number; method: string; params: unknown }): object {
    this.calls[method] = (this.calls[method] ?? 0) + 1;
    const answer = this.answers[method];
    if (!answer) return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } };
    try {
      return { jsonrpc: '2.0', id, result: answer(params) };
    } catch (error) {
      const { code, message } = error as { code: number; message: string };
      return { jsonrpc: '2.0', id, error: { code, message } };
    }
  }
}
