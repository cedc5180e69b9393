import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

/** One HTTP call whose host has been looked up and checked already. */
export interface PinnedRequest {
  readonly url: URL;
  /** The only addresses that are dialled for its host. */
  readonly addresses: readonly string[];
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Over HTTP/2, on a connection that calls to the same addresses share. */
  readonly http2?: boolean;
  /** Ends the call, and the body that is being read. */
  readonly signal: AbortSignal;
  /** There is a connection, TLS included. */
  readonly connected: () => void;
}

export interface PinnedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** To be read to its end, unless the signal is aborted. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Over a connection of its own: one that is kept open could lead to an address that was checked for another call. */
export function pinnedRequest(request: PinnedRequest): Promise<PinnedResponse> {
  const { url, addresses, method, headers, body, signal, connected } = request;
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const sent = (isSecure ? https : http).request(url, {
      method,
      headers: { ...headers, ...(body && { 'content-length': String(body.length) }) },
      lookup: lookupIn(addresses),
      agent: false,
      // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
      rejectUnauthorized: true,
      signal,
    });
    sent.once('socket', (socket) => socket.once(isSecure ? 'secureConnect' : 'connect', connected));
    sent.once('response', (answer) => {
      try {
        resolve({ status: answer.statusCode ?? 0, headers: headersOf(answer.rawHeaders), body: answer });
      } catch (error) {
        sent.destroy();
        reject(error);
      }
    });
    sent.on('error', reject);
    sent.once('close', () => reject(new Error('the connection was closed without an answer')));
    sent.end(body);
  });
}

function lookupIn(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (host, { all: wantsAll }, found) => {
    const [first] = all;
    if (!first) found(new Error(`${host} has no address`), '');
    else if (wantsAll) found(null, all);
    else found(null, first.address, first.family);
  };
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at]!, raw[at + 1]!);
  return headers;
}
