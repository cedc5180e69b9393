import type { ExtensionPoints, Settings } from '../internal-services.ts';
import type { Settlement } from '../ledger/settlement.ts';
import type { GateVerdict } from '../messaging/extension-points.ts';
import type { Clock } from '../platform/clock.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';
import type { ExemptAgents } from './exempt/exempt-agents.ts';
import { aggregatorsOf } from './report-to.ts';
import { type Gate, gateOf } from './stake/lease-gate.ts';
import type { LeaseStandings } from './stake/lease-standings.ts';
import { isStakeGated, stakeGate } from './stake/stake-gate.ts';

export interface GateMeans {
  readonly exempt: Pick<ExemptAgents, 'has'>;
  readonly leases: LeaseStandings;
  readonly settlement: Settlement | undefined;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  readonly plugins: Pick<ExtensionPoints, 'admit'>;
}

/**
 * Lets in exempt agents, and whom every gate of the configuration lets in, then every gate of the plugins; they are asked one after the
 * other.
 */
export function gatesOf(
  settings: Settings,
  { exempt, leases, settlement, plugins, ...means }: GateMeans,
): (...asked: Parameters<Gate>) => Promise<GateVerdict> {
  const gates = [gateOf(settings, leases, settlement)];
  if (isStakeGated(settings)) gates.push(stakeGate(aggregatorsOf(settings, means), means.clock));
  return async (sender, msgType) => {
    if (exempt.has(formatAgentId(sender))) return 'accepted';
    for (const gate of gates) if ((await gate(sender, msgType)) !== 'accepted') return 'restricted';
    return plugins.admit(formatAgentId(sender), msgType);
  };
}
