import type { ApiAccess } from '../../http/guards.ts';
import { lineOf, type Served } from '../../http/served.ts';
import type { ServerOptions } from '../../http/server.ts';
import type { Settings } from '../../internal-services.ts';
import { isLoopback, type ListenAddress } from '../../platform/listen.ts';
import { messageOf, type Problem } from '../../platform/problem.ts';
import { secretFileOf } from '../config/api-secret.ts';
import type { Declared } from '../loader/declarations.ts';

const MIB = 1024 * 1024;

/** The origins and addresses that may call, from the settings. */
export function accessOf(settings: Settings, listen: ListenAddress, secret: () => string): ApiAccess {
  const { readAuth = false, openLoopback = false } = settings.api;
  return { secret, readAuth, openLoopback, hosts: hostsOf(settings, listen) };
}

/** By which names and from where the server may be called. On loopback the public URL's name counts too. */
export function exposureOf(
  settings: Settings,
  listen: ListenAddress,
): Pick<ServerOptions, 'policy' | 'trustProxy' | 'socketsPerIp' | 'unsentBytes' | 'connections'> {
  const { api } = settings;
  const { corsOrigins, trustProxy = 0, socketsPerIp = 256, unsentMiB = 64 } = api;
  const { connections: most = 10_000, connectionsPerIp: perIp = 1_000 } = api;
  return {
    policy: {
      loopback: isLoopback(listen.host),
      hosts: hostsOf(settings, listen),
      corsOrigins: corsOrigins ?? [],
      openReads: corsOrigins === undefined && settings.profile === 'aggregator',
    },
    trustProxy,
    socketsPerIp,
    unsentBytes: unsentMiB * MIB,
    connections: { most, ...(trustProxy === 0 && { perIp }) },
  };
}

function hostsOf({ api: { hosts = [], publicUrl } }: Settings, { host }: ListenAddress): readonly string[] {
  if (hosts.length === 0 && !isLoopback(host)) return [];
  return publicUrl ? [...hosts, new URL(publicUrl).hostname] : hosts;
}

/** Where the secret is that nobody has set, on a node that others can reach; undefined when no route asks for one. */
export function secretNote(
  settings: Settings,
  listen: ListenAddress,
  endpoints: readonly Declared[],
): string | undefined {
  if (settings.api.secret !== undefined || isLoopback(listen.host)) return undefined;
  const asking = endpoints.filter(({ endpoint }) => ['api', 'api-read', 'api-secret'].includes(endpoint.spec.auth));
  if (asking.length === 0) return undefined;
  const whose = asking.length > 3 ? 'the owner’s calls' : asking.map(({ endpoint }) => lineOf(endpoint)).join(' and ');
  return `api: from other machines ${whose} ${asking.length === 1 ? 'needs' : 'need'} the secret in ${secretFileOf(settings.dataDir)}`;
}

/** Routes whose calls have their effect once, on a node where nobody remembers them. */
export function keptByNobody(served: readonly Served[]): Problem[] {
  const routes = served.filter(
    ({ endpoint }) => endpoint.kind === 'route' && (endpoint.spec.idempotency || endpoint.spec.auth === 'agent'),
  );
  const what = 'is done once for a key or token, and there is no idempotency-store port to remember that';
  return routes.map(({ plugin, endpoint }) => ({ where: plugin, what: `${lineOf(endpoint)} ${what}` }));
}

export function listenProblem(listen: string, error: unknown): Problem {
  const busy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  const hint = busy ? 'stop what uses it, or listen on another port with --api-addr' : 'choose another --api-addr';
  return { where: 'listen', what: `${listen} cannot be used: ${messageOf(error)}`, hint };
}
