import { MeshError } from '../contracts/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { normaliseAgentId } from '../protocol/identity/ids.ts';
import { readAgentToken } from '../protocol/signer/agent-token.ts';
import type { Admission } from './guard.ts';
import type { Principal } from './route.ts';

export interface AgentAccess {
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
export function agentGuard({ audience, clock }: AgentAccess) {
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
