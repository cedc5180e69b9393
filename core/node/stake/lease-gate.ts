import type { Settings } from '../../internal-services.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import { isBroadcast, type MessageName } from '../../protocol/envelopes/message-types.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import type { LeaseConfig } from './lease-config.ts';
import type { LeaseStandings } from './lease-standings.ts';

export type Gate = (sender: Uint8Array, msgType: MessageName) => Promise<'accepted' | 'restricted'>;

/** Lets in whom the ledger says to have a paid lease, grace included. Others may try again after paying. */
export function leaseGate(leases: LeaseStandings): (sender: Uint8Array) => ReturnType<Gate> {
  return async (sender) => {
    const status = await leases.of(formatAgentId(sender));
    return status === 'active' || status === 'grace' ? 'accepted' : 'restricted';
  };
}

/**
 * Keeps out letters of those whose lease is deactivated, by what is known already: nobody waits for the ledger, and what it
 * says holds from the next letter on. Broadcasts are let in: asking about everybody who sends one would cost a call a minute each.
 */
export function deactivatedGate(leases: LeaseStandings): Gate {
  return async (sender, msgType) => {
    if (isBroadcast(msgType)) return 'accepted';
    return leases.lately(formatAgentId(sender)) === 'deactivated' ? 'restricted' : 'accepted';
  };
}

/** The gate that `core.lease.gate` asks for, or the mesh by having a price for leases. */
export function gateOf({ core }: Settings, leases: LeaseStandings, settlement: Settlement | undefined): Gate {
  const { gate }: Partial<LeaseConfig> = core['lease'] ?? {};
  if (gate === true) return leaseGate(leases);
  const asksForLeases = settlement !== undefined && settlement.numbers.leasePrice > 0n;
  return gate === undefined && asksForLeases ? deactivatedGate(leases) : async () => 'accepted';
}
