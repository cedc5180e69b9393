import type { Contract, TypeOf } from '../contracts/typed.ts';
import { guardedToken } from '../platform/token.ts';

/**
 * HTTP calls to other machines. Needs `http:<host>` for each host it calls, or `http:*`; `http:api.example.com` is the host at the
 * usual ports 80 and 443, `http:api.example.com:8443` the host at this port only. Hosts are compared as the URL standard
 * writes them: lower case, IDN as `xn--...`.
 *
 * Private addresses are refused, unless the mesh of this node is private or the operator granted the host by its name. The
 * addresses that were checked are the ones dialled. Proxies of the environment are ignored; every call is a connection of its own, but for those over HTTP/2.
 * Certificates are verified, whatever the environment says.
 *
 * Eight calls of a plugin run at once and 64 wait. Rejects with a MeshError: `invalid_request` for a URL that cannot be called,
 * `forbidden` for a host or address that may not be, `rate_limited` when too many wait, `upstream_failed` when no whole
 * answer came in time, with `most_bytes` among its extra members when the answer was too large. Errors name the host, never the path or the query. A wrong option is a RangeError or a TypeError.
 */
export interface Http {
  /**
   * One call, whatever its status. Redirects of GET and HEAD are followed, up to five, each checked like the first URL; to another
   * origin only `accept`, `accept-language` and `user-agent` go along, and from `https` to `http` none is followed. Other redirects are
   * answers.
   */
  request(url: string, request?: HttpRequest): Promise<HttpResponse>;
  /**
   * Rejects as `request` does for a URL that cannot be called, or that leads to a host or an address that may not be; dials nobody. For
   * URLs that strangers leave behind for later: each call looks at the addresses again.
   */
  check(url: string, rules?: Pick<HttpRequest, 'publicOnly'>): Promise<void>;
  /**
   * The JSON of an answer that fits the contract. Rejects with `upstream_failed` when it does not, and when the status is not
   * 2xx; then `upstream_status` of the problem tells the status.
   */
  json<K extends Contract>(contract: K, url: string, request?: HttpRequest): Promise<TypeOf<K>>;
}
export const Http = guardedToken<Http>('http', 'http:');

export interface HttpRequest {
  /** GET unless there is something to send, then POST. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Those of the connection itself, such as `host` and `content-length`, are not the caller's. */
  readonly headers?: Readonly<Record<string, string>>;
  /** At most 16 MiB. */
  readonly body?: string | Uint8Array;
  /** Sent as JSON, in place of `body`. */
  readonly json?: unknown;
  /**
   * Over HTTP/2, for services that speak nothing else; `http:` by prior knowledge. Such calls share a connection with others to the
   * same origin and addresses.
   */
  readonly http2?: boolean;
  /** Milliseconds until there is a connection, TLS included: 5 000 unless given, at most 30 000. */
  readonly connectTimeout?: number;
  /** Milliseconds until the answer is there as a whole, waiting and redirects included: 30 000 unless given, at most 300 000. */
  readonly timeout?: number;
  /** Bytes that the body of the answer may have: 1 MiB unless given, at most 16 MiB. */
  readonly maxBytes?: number;
  /** Gives the call up. All are given up when the node stops. */
  readonly signal?: AbortSignal;
  /** Private addresses are refused in a private mesh too, for URLs that a caller names; a host that the operator granted by its name is not. */
  readonly publicOnly?: boolean;
}

export interface HttpResponse {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** As it came; compressed answers are neither asked for nor unpacked. */
  readonly body: Uint8Array;
  /** The body as UTF-8. */
  text(): string;
}
