import { ClientError } from './client-error.ts';
import type { WebSocketClass } from './http-caller.ts';

/** Bytes of a frame, where the platform has a limit to set. */
const MOST_FRAME = 16 * 1024 * 1024;
/** Milliseconds that a server has to answer the closing of a stream before its connection is given up. */
const CLOSING = 2_000;
/** Bundlers look for no package by this name, and browsers never come here. */
const PACKAGE: string = 'ws';

interface Platform {
  readonly WebSocket?: WebSocketClass;
  readonly process?: { readonly versions?: { readonly node?: string; readonly bun?: string } };
  readonly Deno?: unknown;
}

interface BoundedSocketClass {
  new (url: string, protocols?: string | string[], limits?: object): InstanceType<WebSocketClass>;
}

/** The platform's WebSocket class. Node 20 has none, and that of later ones takes frames of any size: there it is the package `ws`. */
export async function platformSocket(): Promise<WebSocketClass> {
  const { WebSocket: own, process, Deno } = globalThis as Platform;
  const isNode = process?.versions?.node !== undefined && process.versions.bun === undefined && Deno === undefined;
  if (own && !isNode) return own;
  try {
    return bounded((await import(/* @vite-ignore */ /* webpackIgnore: true */ PACKAGE)).WebSocket);
  } catch (cause) {
    if (own) return own;
    const message = 'this platform has no WebSocket; give the client one with the option WebSocket';
    throw new ClientError(message, { status: 0, code: 'no_websocket', cause });
  }
}

function bounded(Socket: BoundedSocketClass): WebSocketClass {
  return class extends Socket {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols, { maxPayload: MOST_FRAME, perMessageDeflate: false, closeTimeout: CLOSING });
    }
  };
}
