import { formatAgentId } from '../../identity/ids.ts';
import type { Settings } from '../../ports.ts';
import type { LeaseConfig } from './lease-config.ts';
import type { LeaseStandings } from './lease-standings.ts';

/** Lets in whom the ledger says to have a paid lease, grace included. Others may try again after paying. */
export function leaseGate(leases: LeaseStandings): (sender: Uint8Array) => Promise<'accepted' | 'restricted'> {
  return async (sender) => {
    const status = await leases.of(formatAgentId(sender));
    return status === 'active' || status === 'grace' ? 'accepted' : 'restricted';
  };
}

/** Whether `core.lease.gate` is on. */
export function isLeaseGated({ core }: Settings): boolean {
  const config: Partial<LeaseConfig> | undefined = core['lease'];
  return config?.gate === true;
}
