import type { IncomingMessage } from 'node:http';
import { allowedOrigin, checkOrigin, type OriginPolicy } from './origin.ts';
import type { Reply } from './reply.ts';

const EXPOSED = 'x-request-id, retry-after, ratelimit, ratelimit-policy';
const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Sets what a web page of another origin may learn of the answer, and refuses calls with effects that it makes without
 * being listed. True when the request was a preflight: then its answer is these headers.
 */
export function crossOrigin(
  { method = 'GET', headers }: IncomingMessage,
  policy: OriginPolicy,
  reply: Reply,
  isOpenRead: () => boolean,
): boolean {
  if (headers.origin !== undefined && policy.openReads && isOpenRead()) return letEverybodyRead(method, reply);
  if (policy.corsOrigins.length > 0) reply.set('vary', 'Origin');
  const origin = allowedOrigin(headers, policy);
  if (origin !== undefined) {
    reply.set('access-control-allow-origin', origin);
    reply.set('access-control-expose-headers', EXPOSED);
  }
  const preflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  if (UNSAFE.has(method) || (preflight && origin === undefined)) checkOrigin(headers, policy);
  if (!preflight) return false;
  reply.set('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE');
  reply.set('access-control-allow-headers', 'authorization, content-type, idempotency-key, x-request-id');
  reply.set('access-control-max-age', '600');
  return true;
}

/** Nothing that a browser keeps for this server, such as a credential, is sent with a call that any page may make. */
function letEverybodyRead(method: string, reply: Reply): boolean {
  reply.set('access-control-allow-origin', '*');
  reply.set('access-control-expose-headers', EXPOSED);
  if (method !== 'OPTIONS') return false;
  reply.set('access-control-allow-methods', 'GET');
  reply.set('access-control-allow-headers', 'accept, content-type, x-request-id');
  reply.set('access-control-max-age', '600');
  return true;
}
