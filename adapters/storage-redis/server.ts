import type { Redis } from 'ioredis';
import { type Guarantees, StorageError } from '../../core/storage/adapter.ts';
import { READ_ONLY } from './faults.ts';
import { WIDE_GAP } from './scripts.ts';

/** A run of a Redis server, from its start to its end, and its promises. */
export interface Server {
  /** Names this run; empty when the server does not tell. */
  readonly run: string;
  readonly guarantees: Guarantees;
  /**
   * How far ids jump at least when another run had written before, because that run may have lost the last ones it gave;
   * 0 when it keeps all.
   */
  readonly gap: number;
  /** Its time when it was asked, Unix milliseconds; undefined when it does not tell. */
  readonly time: number | undefined;
  /** Whether it has an append-only file. */
  readonly keepsLog: boolean;
}

/** Far more ids than a second of writing gives, which is what `appendfsync everysec` may lose. */
const GAP = 1_000_000;

type Facts = ReadonlyMap<string, string>;

/** Asks a server what it is. Rejects with a StorageError when no store may be kept there. */
export async function inspect(redis: Redis): Promise<Server> {
  const info = parseInfo(await ask(redis.info()));
  refuse(info);
  const settings = parsePairs(await ask(redis.config('GET', '*append*')), await ask(redis.config('GET', 'save')));
  const lossy = losses(info, settings);
  const time = await ask(redis.time());
  const skew = clockSkew(time);
  const kept = isOn(info, 'aof_enabled') || (settings.get('save') ?? 'unknown') !== '';
  return {
    run: info.get('run_id') ?? '',
    guarantees: {
      name: 'redis',
      durability: lossy.length === 0 ? 'strict' : kept ? 'relaxed' : 'none',
      processes: 'many',
      warnings: [...lossy, ...advice(info), ...skew],
    },
    time: time && Number(time[0]) * 1_000 + Math.floor(Number(time[1]) / 1_000),
    keepsLog: isOn(info, 'aof_enabled'),
    gap: lossy.length === 0 && !isPromoted(info) ? 0 : isOn(info, 'aof_enabled') ? GAP : WIDE_GAP,
  };
}

function refuse(info: Facts): void {
  const version = info.get('redis_version') ?? '6.2';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 6 || (major === 6 && minor < 2)) {
    throw new StorageError('unavailable', `the store needs Redis 6.2 or newer; this is ${version}. Update it`);
  }
  if (info.get('role') === 'slave') {
    throw new StorageError('unavailable', READ_ONLY);
  }
}

/** The reasons why an acknowledged commit may be lost, each as the setting to change. */
function losses(info: Facts, settings: Facts): string[] {
  const out: string[] = [];
  if (info.size === 0) {
    out.push('Redis does not let this user run INFO: whether it keeps acknowledged writes cannot be told');
  } else if (!isOn(info, 'aof_enabled')) {
    out.push('Redis loses the last acknowledged writes when it stops: set "appendonly yes" and "appendfsync always"');
  } else if (!settings.has('appendfsync')) {
    out.push('Redis does not let this user run CONFIG GET: make sure that it has "appendfsync always"');
  } else if (settings.get('appendfsync') !== 'always') {
    out.push('Redis may lose about a second of acknowledged writes in a crash: set "appendfsync always"');
  } else if (settings.get('no-appendfsync-on-rewrite') === 'yes') {
    out.push('Redis may lose acknowledged writes in a crash during a rewrite: set "no-appendfsync-on-rewrite no"');
  }
  const policy = info.get('maxmemory_policy') ?? '';
  if (policy.startsWith('allkeys')) {
    out.push(`Redis throws data away when its memory is full (${policy}): set "maxmemory-policy noeviction"`);
  }
  return out;
}

function advice(info: Facts): string[] {
  const out: string[] = [];
  if (Number(info.get('connected_slaves') ?? 0) > 0) {
    out.push('Redis copies to its replicas after it acknowledged: a failover may lose the last writes');
  }
  if (isOn(info, 'cluster_enabled')) {
    out.push('Redis is a cluster: the whole store lives on the node that holds its hash tag');
  }
  return out;
}

function clockSkew(time: readonly (string | number)[] | undefined): string[] {
  const seconds = time ? Math.round(Date.now() / 1_000 - Number(time[0])) : 0;
  if (Math.abs(seconds) < 3) return [];
  return [`the clock here is ${seconds} s ahead of the one of Redis, by which documents expire`];
}

/** Whether this server took over from another one, which may not have copied everything. */
function isPromoted(info: Facts): boolean {
  return /[1-9a-f]/.test(info.get('master_replid2') ?? '');
}

/** Managed servers forbid INFO or CONFIG; then nothing is known, and that is said. */
async function ask<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: Error) => {
    if (error.name === 'ReplyError' && /NOPERM|unknown command|not allowed/i.test(error.message)) return undefined;
    throw error;
  });
}

function isOn(info: Facts, name: string): boolean {
  return info.get(name) === '1';
}

function parseInfo(text: string | undefined): Facts {
  const lines = (text ?? '').split('\r\n').filter((line) => line.includes(':'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

function parsePairs(...replies: unknown[]): Facts {
  const flat = replies.flatMap((reply) => (Array.isArray(reply) ? reply.map(String) : []));
  return new Map(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : [])));
}
