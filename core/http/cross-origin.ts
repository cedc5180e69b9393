import type { IncomingMessage } from 'node:http';
import { allowedOrigin, checkOrigin, type OriginPolicy } from './origin.ts';
import type { Reply } from './reply.ts';
import type { Served } from './served.ts';

const EXPOSED = ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy'];
const ASKED = ['authorization', 'content-type', 'idempotency-key', 'x-request-id'];
const ASKED_BY_ANYBODY = ['accept', 'content-type', 'x-request-id'];
const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Permissions of web pages of other origins: the calls, the headers they send and the headers they read. */
export class CrossOrigin {
  readonly #policy: OriginPolicy;
  /** Headers of requests and answers that endpoints declare. */
  readonly #asked: readonly string[];
  readonly #exposed: string;

  constructor(policy: OriginPolicy, served: readonly Served[]) {
    this.#policy = policy;
    this.#asked = namesIn(served.map(({ endpoint }) => endpoint.spec.headers));
    const answered = served.map(({ endpoint }) => (endpoint.kind === 'route' ? endpoint.spec.replyHeaders : undefined));
    this.#exposed = [...EXPOSED, ...namesIn(answered)].join(', ');
  }

  /**
   * Sets what a web page of another origin may learn of the answer, and refuses calls with effects that it makes without
   * being listed. True when the request was a preflight: then its answer is these headers.
   */
  answers({ method = 'GET', headers }: IncomingMessage, reply: Reply, isOpenRead: () => boolean): boolean {
    const policy = this.#policy;
    if (headers.origin !== undefined && policy.openReads && isOpenRead()) return this.#letEverybodyRead(method, reply);
    if (policy.corsOrigins.length > 0) reply.set('vary', 'Origin');
    const origin = allowedOrigin(headers, policy);
    if (origin !== undefined) {
      reply.set('access-control-allow-origin', origin);
      reply.set('access-control-expose-headers', this.#exposed);
    }
    const preflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (UNSAFE.has(method) || (preflight && origin === undefined)) checkOrigin(headers, policy);
    if (!preflight) return false;
    reply.set('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE');
    reply.set('access-control-allow-headers', [...ASKED, ...this.#asked].join(', '));
    reply.set('access-control-max-age', '600');
    return true;
  }

  /** Nothing that a browser keeps for this server, such as a credential, is sent with a call that any page may make. */
  #letEverybodyRead(method: string, reply: Reply): boolean {
    reply.set('access-control-allow-origin', '*');
    reply.set('access-control-expose-headers', this.#exposed);
    if (method !== 'OPTIONS') return false;
    reply.set('access-control-allow-methods', 'GET');
    reply.set('access-control-allow-headers', [...ASKED_BY_ANYBODY, ...this.#asked].join(', '));
    reply.set('access-control-max-age', '600');
    return true;
  }
}

function namesIn(declared: readonly (object | undefined)[]): string[] {
  return [...new Set(declared.flatMap((headers) => Object.keys(headers ?? {})))].sort();
}
