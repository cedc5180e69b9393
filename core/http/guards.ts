import { createHash, timingSafeEqual } from 'node:crypto';
import { MeshError } from '../contracts/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { normaliseAgentId } from '../protocol/identity/ids.ts';
import { readAgentToken } from '../protocol/signer/agent-token.ts';
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
  x402: {
    summary: 'A payment by x402, as the offer of the 402 asks for it.',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'PAYMENT-SIGNATURE',
      description:
        'A payment by x402 of version 2, JSON in base64; in X-PAYMENT one of version 1. The 402 brings the offer.',
    },
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

interface AgentAccess {
  /** The public URL of this server, which a token must name; never what the request calls it. */
  readonly audience: () => string;
  readonly clock: Clock;
}

/** Milliseconds a token is remembered after its end, for clocks that differ. */
const AFTERMATH = 60_000;

/**
 * Lets in who shows an agent token made for this server and this request. The principal's id is the agent's key; the
 * body must have the hash of the token, and the token's effect happens once.
 */
function agentGuard({ audience, clock }: AgentAccess) {
  return ({ token, method, target }: Admission): Principal | null => {
    if (token === undefined) return null;
    const read = readAgentToken(token, clock.now());
    if (!read.ok) throw refused(read.reason);
    const { iss, aud, htm, htu, bh, jti, exp } = read.value;
    if (aud !== audience()) throw refused('it is for another server');
    if (htm !== method || htu !== target) throw refused('it is for another request');
    const id = normaliseAgentId(iss)!;
    return { kind: 'agent', id, bodyHash: bh, once: jti, onceUntil: exp * 1_000 + AFTERMATH };
  };
}

function refused(reason: string): MeshError {
  return new MeshError('unauthorized', `The agent token does not hold: ${reason}.`);
}

/** Compares without telling by its duration how much was right. */
export function sameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
