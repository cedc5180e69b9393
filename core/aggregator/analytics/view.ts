import type { SchemaTypes } from '../../../schemas/types.ts';
import type { StoredOwnerCluster, StoredStanding, StoredState, StoredVector } from '../store/analytics.ts';
import { isoTime } from '../times.ts';
import { type BehaviourCluster, clusterId, coordinationOf } from './behaviour.ts';
import { isFlagged } from './entropy.ts';
import { calibrated, type NetworkSums, NO_AGENTS, systemRisk } from './network-sums.ts';
import { CONCENTRATED, LEAST_AGENTS, ONE, VERSION } from './parameters.ts';
import { rollingOf } from './rolling.ts';

export type Entropy = SchemaTypes['entropy'];

/** Of which formulas an answer is, and up to when everything is counted. */
export function countedAs(state: StoredState | undefined): { readonly version: 1; readonly as_of: string | null } {
  return { version: VERSION, as_of: state?.as_of == null ? null : isoTime(state.as_of) };
}

export function entropyView(agentId: string, vector: StoredVector, complete: boolean): Entropy {
  const { ht, hb, hs, hv, hm, anomaly, ...rest } = vector;
  return {
    agent_id: agentId,
    ...rest,
    ht: bits(ht),
    hb: bits(hb),
    hs: bits(hs),
    hv: bits(hv),
    hm: bits(hm),
    anomaly: anomaly / ONE,
    flagged: isFlagged(vector),
    complete,
  };
}

export function rollingView(
  agentId: string,
  window: number,
  found: readonly StoredVector[],
  state: StoredState | undefined,
): SchemaTypes['entropy-rolling'] {
  const { mean, variance, isSteady, isHigh } = rollingOf(found);
  return {
    agent_id: agentId,
    window_epochs: window,
    epochs_found: found.length,
    mean_anomaly: short(mean),
    anomaly_variance: short(variance),
    low_variance_flag: isSteady,
    high_anomaly_flag: isHigh,
    last_epoch: state?.closed ?? 0,
    ...countedAs(state),
  };
}

export function concentrationView({
  agent_id,
  verified: { epochs, sum, below, top },
}: StoredStanding): SchemaTypes['verifier-concentration'] {
  const mean = sum / epochs;
  return {
    agent_id,
    epochs_sampled: epochs,
    mean_hv: short(mean / ONE),
    epochs_below_threshold: below,
    concentration_score: short(Math.min(1, Math.max(0, 1 - mean / CONCENTRATED))),
    top_verifier: top?.agent_id ?? null,
    top_share: (top?.share ?? 0) / ONE,
  };
}

export function ownerView({ owner, agents, mean, mad }: StoredOwnerCluster): SchemaTypes['ownership-cluster'] {
  const spread = { agents, mean, mad };
  return { cluster_id: clusterId('owner', owner), by: 'owner', owner, ...membersOf(spread) };
}

export function behaviourView(cluster: BehaviourCluster): SchemaTypes['ownership-cluster'] {
  return { cluster_id: clusterId('behaviour', cluster.agents[0]!), by: 'behaviour', ...membersOf(cluster) };
}

function membersOf({ agents, mean, mad }: BehaviourCluster) {
  return {
    agents: [...agents],
    mean_anomaly: mean / ONE,
    mean_anomaly_mad: mad / ONE,
    c_coefficient: coordinationOf(agents.length) / ONE,
  };
}

export function calibratedView(
  sums: NetworkSums = NO_AGENTS,
  coordination: number,
  state: StoredState | undefined,
): SchemaTypes['calibrated-parameters'] {
  const { source, anomaly, decay, coordination: joint, systemic, components } = calibrated(sums, coordination);
  const { ht, hb, hs, hv } = components;
  return {
    beta_1_anomaly: short(anomaly),
    beta_2_rep_decay: short(decay),
    beta_3_coordination: short(joint),
    beta_4_systemic: short(systemic),
    sample_agents: sums.agents,
    flagged_agents: sums.flagged,
    source,
    minimum_agents: LEAST_AGENTS,
    components: { ht: short(ht), hb: short(hb), hs: short(hs), hv: short(hv) },
    calibrated_at: secondsOf(state),
    ...countedAs(state),
  };
}

export function riskView(sums: NetworkSums = NO_AGENTS, state: StoredState | undefined): SchemaTypes['systemic-risk'] {
  const { share, mean, isEnough, isBroken } = systemRisk(sums);
  return {
    sri: short(share),
    circuit_breaker_active: isBroken,
    mean_anomaly: short(mean),
    active_agents: sums.agents,
    flagged_agents: sums.flagged,
    sufficient: isEnough,
    minimum_agents: LEAST_AGENTS,
    computed_at: secondsOf(state),
    ...countedAs(state),
  };
}

function secondsOf(state: StoredState | undefined): number | null {
  return state?.as_of == null ? null : Math.floor(state.as_of / 1000);
}

function bits(entropy: number | null): number | null {
  return entropy === null ? null : entropy / ONE;
}

function short(value: number): number {
  return Math.round(value * ONE) / ONE || 0;
}
