import type { SchemaTypes } from '../../../schemas/types.ts';
import { amountJson, formatUsdc } from '../../platform/usdc.ts';
import type { LeaseStatus } from '../../protocol/settlement/lease-status.ts';
import type { Logged } from '../../storage/pages.ts';
import type { ScoredAs } from '../reputation/view.ts';
import { feedbackCount, type StoredAgent } from '../store/agents.ts';
import type { StoredDispute } from '../store/logs.ts';
import { isoTime } from '../times.ts';
import { isConsistent } from './geography.ts';
import { ratingsOf, updatedAt } from './ratings.ts';

export type AgentItem = SchemaTypes['agent'];
export type AgentProfile = SchemaTypes['agent-profile'];
export type Dispute = SchemaTypes['dispute'];
export type RegistryEntry = SchemaTypes['registry-entry'];

/** The agents that the operator lists as its probe buyers. */
export type Probes = ReadonlySet<string>;

/** An agent as an element of a list, without the version and time of its score, and without what stands beside its own row. */
export function agentItem(agent: StoredAgent, probes: Probes): Omit<AgentItem, keyof ScoredAs | 'stake_usdc' | 'host'> {
  return {
    agent_id: agent.agent_id,
    name: agent.name,
    score: agent.standing.score,
    lower_bound: agent.standing.rank,
    ...ratingsOf(agent),
    dispute_count: agent.disputes,
    ...placeOf(agent),
    ...tripOf(agent, probes),
    capabilities: agent.capabilities,
    ...(agent.url !== undefined && { url: agent.url }),
    first_seen: isoTime(agent.first_seen),
    last_seen: isoTime(agent.last_seen),
    last_updated: updatedAt(agent),
  };
}

/** Facts beside an agent's own row: staked USDC in minor units, and the node that acts for it, if one does. */
export interface Beside {
  readonly stake: bigint;
  readonly host: string | undefined;
}

/** The facts beside a row in front of the row, which is JSON already. */
export function withBeside({ stake, host }: Beside, text: string): string {
  return `${JSON.stringify({ stake_usdc: Number(formatUsdc(stake)), host }).slice(0, -1)},${text.slice(1)}`;
}

/** The same with its lease. */
export interface BesideProfile extends Beside {
  readonly lease: LeaseStatus;
}

/** `disputes` are the newest raised against it. */
export function agentProfile(
  agent: StoredAgent,
  disputes: readonly Logged<StoredDispute>[],
  { stake, lease, host }: BesideProfile,
  probes: Probes,
): Omit<AgentProfile, keyof ScoredAs> {
  return {
    agent_id: agent.agent_id,
    name: agent.name,
    score: agent.standing.score,
    ...keysOf(agent),
    ...(host !== undefined && { host }),
    ...placeOf(agent),
    ...tripOf(agent, probes),
    stake_lamports: amountJson(stake),
    stake_usdc: Number(formatUsdc(stake)),
    lease_status: lease,
    capabilities: agent.capabilities,
    disputes: disputes.map(disputeItem),
    feedback_count: feedbackCount(agent),
    ...(agent.url !== undefined && { url: agent.url }),
    hubs: agent.hubs,
    first_seen: isoTime(agent.first_seen),
    last_seen: isoTime(agent.last_seen),
  };
}

export function disputeItem({ id, record: { at, ...dispute } }: Logged<StoredDispute>): Dispute {
  return { id, ...dispute, created_at: isoTime(at) };
}

export function registryEntry(agent: StoredAgent): RegistryEntry {
  const { first, last } = agent.beacon!;
  return {
    agent_id: agent.agent_id,
    name: agent.name,
    ...(agent.url !== undefined && { url: agent.url }),
    hubs: agent.hubs,
    first_seen: isoTime(first),
    last_seen: isoTime(last),
  };
}

/** The place that an agent claims, and its measured distances; unknown members are absent, not null. */
export function placeOf(agent: StoredAgent): Pick<AgentItem, 'country' | 'city' | 'geo_consistent' | 'latency'> {
  const { country, city, latency = {} } = agent;
  const consistent = isConsistent(agent);
  return {
    ...(country !== undefined && { country }),
    ...(city !== undefined && { city }),
    ...(consistent !== undefined && { geo_consistent: consistent }),
    latency,
  };
}

/** The keys that the agent has had before and after this one. */
export function keysOf({ successor, predecessor }: StoredAgent): Pick<AgentProfile, 'successor' | 'predecessor'> {
  return { ...(successor && { successor: successor.agent_id }), ...(predecessor !== undefined && { predecessor }) };
}

function tripOf({ round_trip: trip }: StoredAgent, probes: Probes): Pick<AgentItem, 'last_round_trip'> {
  if (!trip) return {};
  const { with: asker, conversation_id, envelope_id, asked, answered } = trip;
  return {
    last_round_trip: {
      ...{ with: asker, probe: probes.has(asker), conversation_id, envelope_id },
      ...{ asked_at: isoTime(asked), answered_at: isoTime(answered), seconds: (answered - asked) / 1_000 },
    },
  };
}
