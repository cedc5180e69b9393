import type { Settings } from '../internal-services.ts';
import type { Settlement } from '../ledger/settlement.ts';
import type { Clock } from '../platform/clock.ts';
import { aggregatorsOf } from './report-to.ts';
import { type Gate, gateOf } from './stake/lease-gate.ts';
import type { LeaseStandings } from './stake/lease-standings.ts';
import { isStakeGated, stakeGate } from './stake/stake-gate.ts';

export interface GateMeans {
  readonly leases: LeaseStandings;
  readonly settlement: Settlement | undefined;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

/** Lets in whom every gate of the configuration lets in; they are asked one after the other. */
export function gatesOf(settings: Settings, { leases, settlement, ...means }: GateMeans): Gate {
  const gates = [gateOf(settings, leases, settlement)];
  if (isStakeGated(settings)) gates.push(stakeGate(aggregatorsOf(settings, means), means.clock));
  return async (sender, msgType) => {
    for (const gate of gates) if ((await gate(sender, msgType)) !== 'accepted') return 'restricted';
    return 'accepted';
  };
}
