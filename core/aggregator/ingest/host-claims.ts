import { RateLimiter } from '../../http/limits.ts';
import { CLAIMS_OF_A_HOST, genuineClaims, livingClaims, replaces } from '../../messaging/host-claims.ts';
import type { Verifier } from '../../messaging/verification/verifier.ts';
import type { Clock } from '../../platform/clock.ts';
import type { BeaconPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Space } from '../../storage/space.ts';
import { hosts, type StoredHost } from '../store/hosts.ts';

export interface HostClaimParts {
  readonly space: Space;
  readonly network: Network;
  readonly verifier: Verifier;
  readonly clock: Clock;
}

/** Gives the claims of a BEACON that say something new and are signed by the agents they are about. */
export type HostClaims = (host: string, beacon: BeaconPayload) => Promise<readonly StoredHost[]>;

/**
 * That two agents share a host is known when both the host and the agent have signed it: the agent a claim in the domain
 * host/1 that names the host, the host the BEACON that shows the claim. So nobody is put into a cluster with strangers.
 */
export function hostClaims({ space, network, verifier, clock }: HostClaimParts): HostClaims {
  const perHost = new RateLimiter(CLAIMS_OF_A_HOST, clock);
  return async (host, beacon) => {
    const now = clock.now();
    const claims = livingClaims(host, beacon, now);
    if (claims.length === 0) return [];
    const known = await space.getMany(claims.map(({ agent_id }) => hosts.ref(agent_id)));
    const fresh = claims.filter(
      (claim, place) => replaces(known[place], { ...claim, host }, now) && perHost.tryTake(host),
    );
    const genuine = await genuineClaims(host, fresh, { network, verifier });
    return genuine.map(({ agent_id, recovery_key, not_after }) => ({ agent_id, host, recovery_key, not_after }));
  };
}
