import { isLoopback, type ListenAddress } from '../config/listen.ts';
import type { ApiAccess } from '../http/guards.ts';
import { lineOf, type Served } from '../http/served.ts';
import type { ServerOptions } from '../http/server.ts';
import type { Settings } from '../ports.ts';
import { messageOf, type Problem } from '../problem.ts';

/** Who may call, from the settings. */
export function accessOf({ api }: Settings, secret: string): ApiAccess {
  return { secret, readAuth: api.readAuth ?? false, openLoopback: api.openLoopback ?? false };
}

/** By which names and from where the server may be called. On loopback the public URL's name counts too. */
export function exposureOf(
  { api }: Settings,
  { host }: ListenAddress,
): Pick<ServerOptions, 'policy' | 'trustProxy' | 'socketsPerIp' | 'connections'> {
  const { hosts = [], corsOrigins = [], publicUrl, trustProxy = 0, socketsPerIp = 256 } = api;
  const { connections: most = 10_000, connectionsPerIp: perIp = 1_000 } = api;
  const loopback = isLoopback(host);
  const names = publicUrl ? [...hosts, new URL(publicUrl).hostname] : hosts;
  return {
    policy: { loopback, corsOrigins, hosts: loopback || hosts.length > 0 ? names : [] },
    trustProxy,
    socketsPerIp,
    connections: { most, ...(trustProxy === 0 && { perIp }) },
  };
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
