import { MeshError } from '../../../contracts/errors.ts';
import type { HttpRequest } from '../../../services/http.ts';

const MIB = 1_048_576;
const LARGEST = 16 * MIB;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Headers of the connection, which are not the caller's. */
const OURS =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|proxy-.*)$/;

/** A call as it goes out, its defaults filled in. */
export interface OutgoingCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly http2: boolean;
  readonly connectTimeout: number;
  readonly timeout: number;
  readonly maxBytes: number;
  readonly publicOnly: boolean;
}

/** Throws a TypeError or RangeError for what only the plugin's author can mend. */
export function outgoing(request: HttpRequest): OutgoingCall {
  const { connectTimeout = 5_000, timeout = 30_000, maxBytes = MIB } = request;
  const body = bodyOf(request);
  const { method = body ? 'POST' : 'GET' } = request;
  if (!METHODS.includes(method)) throw new TypeError(`method is one of ${METHODS.join(', ')}`);
  if (body && (method === 'GET' || method === 'HEAD')) throw new TypeError(`a ${method} has no body`);
  return {
    method,
    headers: {
      'user-agent': 'agent-mesh',
      ...(request.json !== undefined && { 'content-type': 'application/json' }),
      ...headersOf(request),
      'accept-encoding': 'identity',
    },
    ...(body && { body }),
    http2: request.http2 ?? false,
    connectTimeout: within(connectTimeout, 30_000, 'connectTimeout'),
    timeout: within(timeout, 300_000, 'timeout'),
    maxBytes: within(maxBytes, LARGEST, 'maxBytes'),
    publicOnly: request.publicOnly ?? false,
  };
}

function bodyOf({ body, json }: HttpRequest): Uint8Array | undefined {
  if (body !== undefined && json !== undefined) throw new TypeError('a call has a body or json, not both');
  const text = json === undefined ? body : JSON.stringify(json);
  if (text === undefined) return undefined;
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  if (bytes.length <= LARGEST) return bytes;
  throw new MeshError('payload_too_large', `A call carries at most ${LARGEST} bytes; this has ${bytes.length}.`);
}

function headersOf({ headers = {} }: HttpRequest): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const taken = given.find(([name]) => OURS.test(name));
  if (taken) throw new TypeError(`the header ${taken[0]} is not the caller's`);
  // The platform's own class refuses names and values that are none.
  return Object.fromEntries(new Headers(given.map(([name, value]): [string, string] => [name, value])));
}

function within(value: number, most: number, name: string): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw new RangeError(`${name} is a whole number from 1 to ${most}`);
}
