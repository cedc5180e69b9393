import type { Clock, Random } from '../../platform/clock.ts';
import { type AgentTokenClaims, tokenClaims } from './agent-token.ts';
import type { Identity } from './identity.ts';
import type { TokenRequest } from './token-request.ts';

/** A token and its claims. */
export interface SignedToken {
  readonly token: string;
  readonly claims: AgentTokenClaims;
}

/** Signs tokens in the name of an agent, each for one request and with a `jti` of its own. */
export function tokenSigner(
  identity: Pick<Identity, 'address' | 'signAgentToken'>,
  clock: Pick<Clock, 'now'>,
  random: Random,
): (request: TokenRequest) => SignedToken {
  return (request) => {
    const claims = tokenClaims(identity.address, request, clock.now(), random);
    return { token: identity.signAgentToken(claims), claims };
  };
}
