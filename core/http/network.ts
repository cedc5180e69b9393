import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { http2Request } from './http2-request.ts';
import { type PinnedRequest, type PinnedResponse, pinnedRequest } from './pinned-request.ts';

/** How HTTP enters and leaves this process, so that a whole mesh can run without the machine's network. */
export interface HttpNetwork {
  /** Lets a server be reached; rejects with the system's error, such as EADDRINUSE. */
  listen(server: Server, host: string, port: number): Promise<Listening>;
  /** The platform's `fetch`, or one that reaches the servers of this network. */
  readonly fetch: typeof fetch;
  /** One call to addresses that were checked. */
  readonly pinned: (request: PinnedRequest) => Promise<PinnedResponse>;
}

/** A server that can be reached. */
export interface Listening {
  readonly port: number;
  /** Takes no new connections; resolves when the last one is closed. */
  close(): Promise<void>;
}

export const systemHttp: HttpNetwork = {
  listen: (server, host, port) =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.off('error', reject);
        resolve({
          port: (server.address() as AddressInfo).port,
          close: () => new Promise((closed) => server.close(() => closed())),
        });
      });
    }),
  // Looked up at each call, so that whoever replaces the platform's own is heard.
  fetch: (input, init) => fetch(input, init),
  pinned: (request) => (request.http2 ? http2Request(request) : pinnedRequest(request)),
};
