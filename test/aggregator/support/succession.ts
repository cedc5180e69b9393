import type { Succession } from '../../../core/messaging/successions.ts';
import { toBase64 } from '../../../core/platform/bytes.ts';
import { parseAgentId } from '../../../core/protocol/identity/ids.ts';
import type { Network } from '../../../core/protocol/identity/network.ts';
import type { Identity } from '../../../core/protocol/signer/identity.ts';

interface Keyed {
  readonly identity: Identity;
}

/** A succession of `old` by `next`, signed by `recovery` and accepted by `next` unless others sign. */
export function succession(
  network: Network,
  {
    old,
    next,
    recovery,
    time,
    accepts = next,
  }: Record<'old' | 'next' | 'recovery', Keyed> & { time: number; accepts?: Keyed },
): Succession {
  const [agent_id, successor] = [old.identity.address, next.identity.address];
  const fields = { old_key: parseAgentId(agent_id)!, new_key: parseAgentId(successor)!, time };
  const by = ({ identity }: Keyed) => toBase64(identity.signDomain('succession/1', network, fields));
  return { agent_id, successor, time, signature_b64: by(recovery), accepted_b64: by(accepts) };
}

/** The claim of an agent that a host acts for it, with the recovery key that it names. */
export function hostClaim(
  network: Network,
  { agent, host, recovery, not_after }: Record<'agent' | 'host' | 'recovery', Keyed> & { not_after: number },
) {
  const fields = { host_key: host.identity.key, recovery_key: recovery.identity.key, not_after };
  const signature_b64 = toBase64(agent.identity.signDomain('host/1', network, fields));
  return { agent_id: agent.identity.address, recovery_key: recovery.identity.address, not_after, signature_b64 };
}
