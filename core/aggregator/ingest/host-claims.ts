import { RateLimiter } from '../../http/limits.ts';
import type { Verifier } from '../../messaging/verification/verifier.ts';
import type { Clock } from '../../platform/clock.ts';
import type { BeaconPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { domainBytes } from '../../protocol/identity/domains.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Space } from '../../storage/space.ts';
import { hosts, replaces, type StoredHost } from '../store/hosts.ts';

/** Claims of one host that are looked at in an hour: twice as many as a BEACON can hold. */
const PER_HOUR = 256;

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
  const perHost = new RateLimiter({ rate: PER_HOUR, window: 3600 }, clock);
  return async (host, { hosted = [] }) => {
    const now = clock.now();
    const claims = hosted.filter(({ agent_id, not_after }) => agent_id !== host && not_after * 1000 > now);
    if (claims.length === 0) return [];
    const told = claims.map(({ agent_id, recovery_key, not_after }) => ({ agent_id, host, recovery_key, not_after }));
    const known = await space.getMany(told.map(({ agent_id }) => hosts.ref(agent_id)));
    const fresh = [...claims.keys()].filter(
      (place) => replaces(known[place], told[place]!, now) && hasRoom(perHost, host),
    );
    const genuine = await verifier.verifyAll(
      fresh.map((place) => {
        const { agent_id, recovery_key, not_after, signature_b64 } = claims[place]!;
        const fields = { host_key: parseAgentId(host)!, recovery_key: parseAgentId(recovery_key)!, not_after };
        const message = domainBytes('host/1', network.id, fields);
        return { message, signature: Buffer.from(signature_b64, 'base64'), key: parseAgentId(agent_id)! };
      }),
    );
    return fresh.filter((_, index) => genuine[index]).map((place) => told[place]!);
  };
}

function hasRoom(limiter: RateLimiter, host: string): boolean {
  try {
    limiter.take(host);
    return true;
  } catch {
    return false;
  }
}
