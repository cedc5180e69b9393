import type { SchemaTypes } from '../../../schemas/types.ts';
import { amountJson, formatUsdc } from '../../platform/usdc.ts';
import type { StoredFlow, StoredFlowCluster } from '../store/flows.ts';
import { coordination } from './clusters.ts';
import type { FlowSide } from './standing.ts';
import { type FlowSum, type FlowWindow, flowIn, isSettled, strengthOf } from './sums.ts';

export type FlowEdge = SchemaTypes['flow-edge'];
export type FlowKind = SchemaTypes['flow-kind'];

export function edgeOf(flow: StoredFlow, window: FlowWindow): FlowEdge {
  const sum = flowIn(flow, window);
  const { payments, ratings, score, positive, absolute } = sum;
  const usdc = BigInt(sum.usdc);
  return {
    from_agent: flow.from,
    to_agent: flow.to,
    kind: kindOf(sum),
    settled_usdc: Number(formatUsdc(usdc)),
    settled_usdc_micro: amountJson(usdc),
    payment_count: payments,
    rating_count: ratings,
    interaction_count: payments + ratings,
    positive_flow: positive,
    total_abs_flow: absolute,
    avg_score: ratings === 0 ? null : score / ratings,
  };
}

export function kindOf(sum: FlowSum): FlowKind {
  return isSettled(sum) ? 'settled' : 'feedback';
}

/** USDC of settled flows, points of praise of others. */
export function amountOf(sum: FlowSum): number {
  return isSettled(sum) ? Number(formatUsdc(BigInt(sum.usdc))) : sum.positive;
}

/** The share of the strongest three in all of their kind; `strongest` are the first of an agent's outgoing flows. */
export function concentration(given: FlowSide, strongest: readonly FlowSum[]): number {
  const all = strengthOf(given);
  const three = strongest.filter((sum) => isSettled(sum) === isSettled(given)).slice(0, 3);
  return all > 0 ? Math.min(1, three.reduce((sum, one) => sum + strengthOf(one), 0) / all) : 0;
}

export function clusterView({
  cluster_id,
  agents,
  agent_count,
  links,
  flow,
  usdc,
  praise,
}: StoredFlowCluster): SchemaTypes['flow-cluster'] {
  const coefficient = coordination(agent_count);
  const micro = usdc === undefined ? undefined : BigInt(usdc);
  return {
    ...{ cluster_id, agents: [...agents], agent_count, link_count: links },
    ...{ cluster_suspicion: coefficient, c_coefficient: coefficient, total_mutual_flow: flow },
    mutual_usdc: micro === undefined ? null : Number(formatUsdc(micro)),
    mutual_usdc_micro: micro === undefined ? null : amountJson(micro),
    mutual_praise: praise ?? null,
  };
}
