import type { BeaconPayload } from '../protocol/envelopes/payloads/payloads.ts';
import { domainBytes } from '../protocol/identity/domains.ts';
import { parseAgentId } from '../protocol/identity/ids.ts';
import type { Network } from '../protocol/identity/network.ts';
import type { Verifier } from './verification/verifier.ts';

/** An agent's own word, in the domain host/1, that a host acts for it. */
export type HostedClaim = NonNullable<BeaconPayload['hosted']>[number];

/**
 * New claims of one host that are verified, by whoever hears its BEACONs: those of two thousand agents at once, since a host shows all
 * that it has within seconds, and 6,144 a day, so that it takes days to crowd out others with fresh keys.
 */
export const CLAIMS_OF_A_HOST = { rate: 2_048, window: 8 * 3_600 };

/** A host that is known: by whom, and until when, in Unix seconds. */
export interface Hosting {
  readonly host: string;
  readonly recovery_key: string;
  readonly not_after: number;
}

/**
 * Whether a claim takes the place of what is known at that moment, Unix milliseconds: of the same host a longer one. The recovery key of the
 * first claim stays for ever: a host that waits until its claim has ended must not put its own in the place of it.
 */
export function replaces(known: Hosting | undefined, { host, recovery_key, not_after }: Hosting, now: number): boolean {
  if (known && known.recovery_key !== recovery_key) return false;
  if (!known || known.not_after * 1000 <= now) return true;
  return known.host === host && known.not_after < not_after;
}

/** The claims of a BEACON that are about others than its sender and hold at that moment. */
export function livingClaims(host: string, { hosted = [] }: BeaconPayload, now: number): HostedClaim[] {
  return hosted.filter(({ agent_id, not_after }) => agent_id !== host && not_after * 1000 > now);
}

/** Those of the claims that the agents they are about have signed for this host. */
export async function genuineClaims(
  host: string,
  claims: readonly HostedClaim[],
  { verifier, network }: { readonly verifier: Verifier; readonly network: Network },
): Promise<HostedClaim[]> {
  const host_key = parseAgentId(host)!;
  const genuine = await verifier.verifyAll(
    claims.map(({ agent_id, recovery_key, not_after, signature_b64 }) => {
      const message = domainBytes('host/1', network.id, {
        host_key,
        recovery_key: parseAgentId(recovery_key)!,
        not_after,
      });
      return { message, signature: Buffer.from(signature_b64, 'base64'), key: parseAgentId(agent_id)! };
    }),
  );
  return claims.filter((_, index) => genuine[index]);
}
