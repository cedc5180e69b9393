import { isIP } from 'node:net';
import { type CommonRedisOptions, Redis } from 'ioredis';

type Timeouts = Pick<CommonRedisOptions, 'commandTimeout' | 'connectTimeout'>;

/**
 * A client that never sends anything twice and never keeps anything for later: calls in flight when the connection
 * ends are rejected. It speaks RESP2 with strings: ioredis 6.0.0 decodes the doubles of RESP3 inexactly.
 */
export function createClient(endpoint: Endpoint, options: Timeouts): Redis {
  const redis = new Redis({
    ...endpoint.options,
    protocol: 2,
    disableClientInfo: true,
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    maxLoadingRetryTime: 500,
    disconnectTimeout: 100,
    retryStrategy: (attempt: number) => Math.min(25 * 2 ** Math.min(attempt, 10), 1_000),
    ...options,
  });
  // Without a listener ioredis prints errors; they also reach the calls that wait for an answer.
  redis.on('error', () => {});
  return redis;
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: { readonly servername?: string };
}

export interface Endpoint {
  readonly options: Address;
  /** Without user and password, for people to read. */
  readonly shown: string;
  readonly isTls: boolean;
}

const SECURE = 'rediss:';

/** Throws a TypeError with a sentence when it is not the URL of a Redis. */
export function parseEndpoint(url: string): Endpoint {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const db = parsed?.pathname.replace(/^\//, '') ?? '';
  if (!parsed || !/^rediss?:$/.test(parsed.protocol) || !parsed.hostname || !/^\d{0,3}$/.test(db)) {
    throw new TypeError('the URL of a Redis is redis://host:port/0, or rediss:// for TLS');
  }
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  const port = Number(parsed.port || 6379);
  const isTls = parsed.protocol === SECURE;
  return {
    isTls,
    shown: `${parsed.hostname}:${port}`,
    options: {
      host,
      port,
      db: Number(db),
      ...(parsed.username && { username: decodeURIComponent(parsed.username) }),
      ...(parsed.password && { password: decodeURIComponent(parsed.password) }),
      // TLS names hosts, never addresses.
      ...(isTls && { tls: isIP(host) ? {} : { servername: host } }),
    },
  };
}
