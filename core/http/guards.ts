import { createHash, timingSafeEqual } from 'node:crypto';
import { type AgentAccess, agentGuard } from './agent-guard.ts';
import { type Admission, admitAnyone, type GuardSpec } from './guard.ts';
import { isLocalCaller } from './origin.ts';
import type { Principal } from './route.ts';
import type { BoundGuard } from './served.ts';

/** The guards every node has, without their functions; for documents and checks made before anything runs. */
export const BUILT_IN_GUARDS: Readonly<Record<string, GuardSpec | undefined>> = {
  open: undefined,
  api: {
    summary: 'The API secret of the node: the setting api.secret, otherwise the one made in <data-dir>/api-secret.',
    scheme: { type: 'http', scheme: 'bearer', description: 'The API secret of the node.' },
  },
  'api-read': {
    summary:
      'The API secret of the node (<data-dir>/api-secret); callers on the same machine need none unless the operator says so.',
    scheme: { type: 'http', scheme: 'bearer', description: 'The API secret; not needed on loopback.' },
  },
  'api-secret': {
    summary: 'The API secret of the node, asked of every caller on the same machine too.',
    scheme: { type: 'http', scheme: 'bearer', description: 'The API secret of the node.' },
  },
  agent: {
    summary: 'A token that an agent signs for one request; `mesh token` prints one.',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'agent-mesh+jwt',
      description:
        'A compact JWS of the agent for this server (aud), method, path and body, valid for 5 minutes, once.',
    },
  },
};

export interface ApiAccess {
  /** The one that counts now: it may change while the node runs. */
  readonly secret: () => string;
  readonly readAuth: boolean;
  readonly openLoopback: boolean;
  /** Host names by which callers on this machine may call, beside localhost and IP addresses. */
  readonly hosts: readonly string[];
}

export function builtInGuards(
  { secret, readAuth, openLoopback, hosts }: ApiAccess,
  agents: AgentAccess,
): Map<string, BoundGuard> {
  const operator: Principal = { kind: 'api', id: 'operator' };
  const local: Principal = { kind: 'api', id: 'local' };
  function byToken({ token }: Admission): Principal | null {
    return token !== undefined && sameSecret(token, secret()) ? operator : null;
  }
  function localOr(open: boolean) {
    return (request: Admission) =>
      byToken(request) ??
      (open && request.token === undefined && isLocalCaller(request.ip, request.headers, hosts) ? local : null);
  }
  return new Map([
    ['open', { name: 'open', spec: undefined, admit: admitAnyone }],
    ['api', { name: 'api', spec: BUILT_IN_GUARDS['api'], admit: localOr(openLoopback) }],
    ['api-read', { name: 'api-read', spec: BUILT_IN_GUARDS['api-read'], admit: localOr(openLoopback || !readAuth) }],
    ['api-secret', { name: 'api-secret', spec: BUILT_IN_GUARDS['api-secret'], admit: byToken }],
    ['agent', { name: 'agent', spec: BUILT_IN_GUARDS['agent'], admit: agentGuard(agents) }],
  ]);
}

/** Compares without telling by its duration how much was right. */
export function sameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
