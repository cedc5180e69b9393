import { type AddressInfo, isIP, type LookupFunction } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import type { RawSocket } from '../../core/http/route.ts';
import { type Link, MAX_MESSAGE, type Transport } from '../../core/mesh/transport.ts';
import { shownUrl } from '../../core/platform/shown-url.ts';
import { WsLink } from './ws-link.ts';

export const MESH_PATH = '/mesh';
/** Milliseconds to open a WebSocket, whatever the caller's signal allows. */
const OPEN_TIMEOUT = 10_000;

/** The settings of a WebSocket server that hands its sockets to `adopt`. */
export const WS_SERVER_OPTIONS = {
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE,
  skipUTF8Validation: true,
} as const;

export interface WsTransport extends Transport {
  /**
   * Takes over a WebSocket that a server accepted for `/mesh`. Must be called in the turn in which the socket was
   * accepted. `remote` is the peer's address, for logs and limits.
   */
  adopt(socket: RawSocket, remote: string): Link;
  /** Accepts on a port of its own, without the node's HTTP server; resolves with the URL to dial. */
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<string>;
}

export function createWsTransport(): WsTransport {
  const sockets = new Set<RawSocket>();
  const servers = new Set<WebSocketServer>();
  let accepted: ((link: Link) => void) | undefined;
  let closed = false;

  function wrap(socket: RawSocket, remote: string, dialled: boolean): Link {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    return new WsLink(socket, remote, dialled);
  }

  function adopt(socket: RawSocket, remote: string): Link {
    const link = wrap(socket, remote, false);
    if (accepted && !closed) accepted(link);
    else link.close('not ready');
    return link;
  }

  function dial(url: string, signal: AbortSignal, addresses?: readonly string[]): Promise<Link> {
    return new Promise((resolve, reject) => {
      if (closed) return reject(new Error('The transport is closed.'));
      if (signal.aborted) return reject(new Error(`Dialling ${shownUrl(url)} was given up.`));
      const options = { ...WS_SERVER_OPTIONS, handshakeTimeout: OPEN_TIMEOUT };
      const socket = new WebSocket(withPath(url), addresses ? { ...options, lookup: pinnedTo(addresses) } : options);
      const giveUp = () => socket.terminate();
      signal.addEventListener('abort', giveUp, { once: true });
      socket.on('error', (error) => {
        const why = signal.aborted ? 'it took too long' : error.message;
        reject(new Error(`${shownUrl(url)} cannot be reached: ${why}.`, { cause: error }));
      });
      socket.on('close', () => {
        signal.removeEventListener('abort', giveUp);
        sockets.delete(socket);
      });
      socket.on('open', () => {
        signal.removeEventListener('abort', giveUp);
        resolve(wrap(socket, shownUrl(url), true));
      });
      sockets.add(socket);
    });
  }

  async function listen({ port = 0, host = '127.0.0.1' } = {}): Promise<string> {
    const server = new WebSocketServer({ ...WS_SERVER_OPTIONS, port, host, path: MESH_PATH });
    await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
    servers.add(server);
    server.on('connection', (socket, request) => adopt(socket, request.socket.remoteAddress ?? 'unknown'));
    const { port: bound } = server.address() as AddressInfo;
    return `ws://${host}:${bound}${MESH_PATH}`;
  }

  return {
    name: 'mesh-ws',
    schemes: ['ws:', 'wss:'],
    namesHosts: true,
    dial,
    accept(handler) {
      accepted = handler;
    },
    adopt,
    listen,
    async close() {
      closed = true;
      for (const socket of sockets) socket.terminate();
      await Promise.all([...servers].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** Answers the look-up of a host with addresses that are known already. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_, { all }, answer) => {
    if (all) answer(null, found);
    else answer(null, found[0]!.address, found[0]!.family);
  };
}

/** A URL that names only a host leads to the mesh path of that host. */
function withPath(url: string): string {
  const parsed = new URL(url);
  if (parsed.pathname === '/') parsed.pathname = MESH_PATH;
  return parsed.href;
}
