import type { WebSocket } from 'ws';
import type { Clock } from '../../core/platform/clock.ts';
import type { Rpc, RpcMethod } from './rpc.ts';
import { RPC_CODES, RpcError } from './rpc-error.ts';
import { SUBSCRIPTIONS, type Subscription } from './subscriptions.ts';
import type { View } from './view.ts';

const MAX_SUBSCRIPTIONS = 256;
/** A reader this far behind is cut off: it then knows that it has missed something. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

interface Active {
  readonly id: number;
  readonly socket: WebSocket;
  readonly of: Subscription;
}

/** Subscriptions of all connections. The slot timer runs only while somebody watches slots. */
export class PubSub {
  readonly #view: View;
  readonly #rpc: Rpc;
  readonly #clock: Clock;
  readonly #slotMs: number;
  readonly #active = new Map<number, Active>();
  #lastId = 0;
  #lastSlot = 0;
  #stopTimer: (() => void) | undefined;

  constructor(view: View, rpc: Rpc, clock: Clock, slotMs: number) {
    this.#view = view;
    this.#rpc = rpc;
    this.#clock = clock;
    this.#slotMs = slotMs;
    view.chain.onLanded((landed) => {
      for (const active of [...this.#active.values()]) {
        for (const result of active.of.landed?.(landed) ?? []) this.#notify(active, result);
      }
    });
  }

  connect(socket: WebSocket): void {
    const methods = this.#methodsOf(socket);
    socket.on('message', (data) => {
      const reply = this.#rpc.answer(String(data), methods);
      if (reply?.ending ?? reply?.status) socket.terminate();
      else if (reply?.afterMs) this.#clock.after(reply.afterMs, () => socket.send(reply.text));
      else if (reply) socket.send(reply.text);
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      for (const active of this.#ofSocket(socket)) this.#end(active.id);
    });
  }

  #methodsOf(socket: WebSocket): ReadonlyMap<string, RpcMethod> {
    const methods = new Map<string, RpcMethod>();
    for (const [name, begin] of Object.entries(SUBSCRIPTIONS)) {
      methods.set(name, (params) => this.#begin(socket, begin(params, this.#view)));
      methods.set(name.replace('Subscribe', 'Unsubscribe'), (params) => {
        const id = params.integer(0, 0, Number.MAX_SAFE_INTEGER);
        return this.#active.get(id)?.socket === socket && this.#end(id);
      });
    }
    return methods;
  }

  #begin(socket: WebSocket, of: Subscription): number {
    if (this.#ofSocket(socket).length >= MAX_SUBSCRIPTIONS) {
      throw new RpcError(RPC_CODES.invalidRequest, `Too many subscriptions: at most ${MAX_SUBSCRIPTIONS} a connection`);
    }
    this.#lastId += 1;
    const active = { id: this.#lastId, socket, of };
    this.#active.set(active.id, active);
    if (of.slot) this.#watchSlots();
    // After the answer that carries the subscription's id.
    setImmediate(() => {
      const first = this.#active.has(active.id) ? of.first?.() : undefined;
      if (first) this.#notify(active, first);
    });
    return active.id;
  }

  #notify(active: Active, result: unknown): void {
    const { id, socket, of } = active;
    if (of.once) this.#end(id);
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate();
    else socket.send(JSON.stringify({ jsonrpc: '2.0', method: of.notification, params: { result, subscription: id } }));
  }

  #end(id: number): boolean {
    const ended = this.#active.delete(id);
    if (![...this.#active.values()].some(({ of }) => of.slot)) {
      this.#stopTimer?.();
      this.#stopTimer = undefined;
    }
    return ended;
  }

  #watchSlots(): void {
    if (this.#stopTimer || this.#slotMs === 0) return;
    this.#lastSlot = this.#view.chain.slots.now().slot;
    this.#stopTimer = this.#clock.every(this.#slotMs, () => {
      const stamp = this.#view.chain.slots.now();
      if (stamp.slot === this.#lastSlot) return;
      this.#lastSlot = stamp.slot;
      for (const active of [...this.#active.values()]) {
        if (active.of.slot) this.#notify(active, active.of.slot(stamp));
      }
    });
  }

  #ofSocket(socket: WebSocket): Active[] {
    return [...this.#active.values()].filter((active) => active.socket === socket);
  }
}
