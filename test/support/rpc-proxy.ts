import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call on its way through the proxy. */
export interface ProxiedCall {
  readonly id: number;
  readonly method: string;
  readonly params: any[];
  /** What the ledger really answers, the whole JSON-RPC message. */
  pass(): Promise<any>;
}

/** What a node gets instead: a message, the text of a body as it is, or undefined for a connection that breaks. */
export type Change = (call: ProxiedCall) => unknown;

/**
 * Stands between nodes and a ledger's RPC. It can be told to lose calls of a method on their way, or to change what is
 * answered to them.
 */
export class RpcProxy {
  readonly #server: Server;
  readonly lost = new Set<string>();
  readonly changed = new Map<string, Change>();
  /** What is answered to every other call instead, given the call and the ledger's answer. */
  rewrite: ((call: Pick<ProxiedCall, 'method' | 'params'>, answer: any) => any) | undefined;
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

  static async start(target = ''): Promise<RpcProxy> {
    const proxy = new RpcProxy();
    proxy.target = target;
    await new Promise<void>((listening) => proxy.#server.listen(0, '127.0.0.1', listening));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Everything gets through as it is again. */
  heal(): void {
    this.lost.clear();
    this.changed.clear();
    this.rewrite = undefined;
  }

  /** Answers calls of a method with this result. */
  answer(method: string, result: (call: ProxiedCall) => unknown): void {
    this.changed.set(method, async (call) => ({ jsonrpc: '2.0', id: call.id, result: await result(call) }));
  }

  /** Refuses calls of a method. */
  refuse(method: string, code: number, message: string, data?: unknown): void {
    this.changed.set(method, ({ id }) => ({ jsonrpc: '2.0', id, error: { code, message, data } }));
  }

  /**
   * From now on calls of these methods see the state as it is now, as from a node that has stopped. An honest one says so
   * when it is asked for a later slot.
   */
  freeze(slot: number, methods: readonly string[], honest = true): void {
    const seen = new Map<string, Promise<any>>();
    for (const method of methods)
      this.changed.set(method, async (call) => {
        const options = call.params.findLast((param) => typeof param === 'object' && !Array.isArray(param)) ?? {};
        const { minContextSlot = 0, ...others } = options;
        const error = {
          code: -32016,
          message: 'Minimum context slot has not been reached',
          data: { contextSlot: slot },
        };
        if (honest && minContextSlot > slot) return { jsonrpc: '2.0', id: call.id, error };
        const name = JSON.stringify([method, call.params.filter((param) => param !== options), others]);
        const answer = seen.get(name) ?? call.pass();
        seen.set(name, answer);
        return { ...(await answer), id: call.id };
      });
  }

  stop(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((closed) => this.#server.close(closed));
  }

  async #forward(body: Buffer): Promise<string> {
    const { id, method, params } = JSON.parse(body.toString()) as { id: number; method: string; params: any[] };
    if (this.lost.has(method)) throw new Error('lost');
    this.passed[method] = (this.passed[method] ?? 0) + 1;
    const headers = { 'content-type': 'application/json' };
    const forward = async () =>
      (await fetch(this.target, { method: 'POST', headers, body: new Uint8Array(body) })).text();
    const change = this.changed.get(method);
    if (!change && !this.rewrite) return forward();
    if (!change) return JSON.stringify(this.rewrite!({ method, params }, JSON.parse(await forward())));
    const answer = await change({ id, method, params, pass: async () => JSON.parse(await forward()) });
    if (answer === undefined) throw new Error('broken');
    return typeof answer === 'string' ? answer : JSON.stringify(answer);
  }
}
