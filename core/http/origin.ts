import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { MeshError } from '../contracts/errors.ts';
import { isLoopback } from '../platform/listen.ts';
import { timesIn } from './request-headers.ts';

export interface OriginPolicy {
  /** Whether only this machine can reach the listener. */
  readonly loopback: boolean;
  /** Host names accepted beside localhost and IP addresses. */
  readonly hosts: readonly string[];
  /** Web origins that may call; `*` for all. */
  readonly corsOrigins: readonly string[];
  /** Whether pages of any origin may read what is open to everybody: GET routes and streams without a guard. */
  readonly openReads: boolean;
}

/**
 * Paths that containers, load balancers and Prometheus ask by a name of their own. Nothing there is worth a rebound name: health
 * is for anybody, and the guard of the metrics takes no page of another name for a caller on this machine.
 */
const WATCHED = /^\/(health|ready|metrics)(\?|$)/;

/**
 * Refuses a name in the Host header that an attacker could have pointed at this machine (DNS rebinding). An address
 * cannot be rebound. A public listener without configured names answers to any. Nearly all callers use the same name,
 * so the header that passed last passes again without being taken apart.
 */
export function hostCheck(
  policy: OriginPolicy,
): (request: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url'>) => void {
  if (!policy.loopback && policy.hosts.length === 0) return ({ rawHeaders }) => refuseTwoHosts(rawHeaders);
  let passed: string | undefined;
  return ({ headers: { host = '' }, rawHeaders, url = '' }) => {
    refuseTwoHosts(rawHeaders);
    if (host === passed) return;
    if (!isOwnName(host, policy.hosts)) {
      if (WATCHED.test(url)) return;
      throw misdirected(hostname(host));
    }
    passed = host;
  };
}

/** Node keeps the first of several, where a proxy in front may have looked at the last. */
function refuseTwoHosts(rawHeaders: readonly string[]): void {
  if (timesIn(rawHeaders, 'host') < 2) return;
  const message = 'must have one Host header only';
  throw new MeshError('invalid_request', { detail: `The request ${message}.`, fields: [{ pointer: '', message }] });
}

/** Whether no page of another site can have pointed the name in a Host header at this machine. */
function isOwnName(host: string, hosts: readonly string[]): boolean {
  const name = hostname(host);
  return name === 'localhost' || isIP(name) !== 0 || hosts.includes(name);
}

function misdirected(name: string): MeshError {
  return new MeshError('misdirected_request', {
    detail: name ? `The host name ${name} is not one of this server's.` : 'The Host header is missing.',
    fields: [{ pointer: '', message: 'the Host header must name this server' }],
  });
}

/** The origin of a web page that may read the answer; undefined when there is none or it is not on the list. */
export function allowedOrigin(headers: IncomingHttpHeaders, policy: OriginPolicy): string | undefined {
  const { origin } = headers;
  if (origin === undefined) return undefined;
  return policy.corsOrigins.includes('*') || policy.corsOrigins.includes(origin) ? origin : undefined;
}

/** Refuses calls with effects, and sockets, that a web page of another site makes through a visitor's browser. */
export function checkOrigin(headers: IncomingHttpHeaders, policy: OriginPolicy): void {
  const { origin } = headers;
  if (origin === undefined ? headers['sec-fetch-site'] !== 'cross-site' : sameSite(origin, headers, policy)) return;
  throw new MeshError('forbidden', {
    detail: `Web pages of ${origin ?? 'another site'} may not call this API; see api.corsOrigins.`,
  });
}

function sameSite(origin: string, headers: IncomingHttpHeaders, policy: OriginPolicy): boolean {
  if (allowedOrigin(headers, policy) !== undefined) return true;
  return origin !== 'null' && origin.replace(/^https?:\/\//, '') === headers.host;
}

function hostname(host: string): string {
  const bare = /^\[([^\]]*)\](:\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d+$/, '');
  return bare.toLowerCase().replace(/\.$/, '');
}

/**
 * Whether a caller sits on this machine and is no page that a browser there has open: a public listener answers to any
 * name, and a page may have its own name lead here. A forwarded request does not count unless proxies are configured.
 */
export function isLocalCaller(
  ip: string,
  headers: Readonly<Record<string, string | undefined>>,
  hosts: readonly string[],
): boolean {
  const forwarded = headers['x-forwarded-for'] ?? headers['forwarded'] ?? headers['x-real-ip'];
  return isLoopback(ip) && forwarded === undefined && isOwnName(headers['host'] ?? '', hosts);
}
