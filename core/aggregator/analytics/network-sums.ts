import type { SchemaTypes } from '../../../schemas/types.ts';
import { isFlagged, shortfallOf, type Vector } from './entropy.ts';
import { BREAKER, COMPONENT_NAMES, type Component, DEFAULT_PARAMETERS, HALF, LEAST_AGENTS, ONE } from './parameters.ts';

/** Sums over the present vector of each agent; those of the components over the flagged ones. */
export type NetworkSums = SchemaTypes['stored-analytics-sums'];

export const NO_AGENTS: NetworkSums = { agents: 0, flagged: 0, anomaly: 0, ht: 0, hb: 0, hs: 0, hv: 0 };

/** The sums with a vector more, or with one less. */
export function withVector(sums: NetworkSums, vector: Vector, by: 1 | -1): NetworkSums {
  const flagged = isFlagged(vector);
  const shown = (name: Component) => sums[name] + (flagged ? by * shortfallOf(vector, name) : 0);
  return {
    agents: sums.agents + by,
    flagged: sums.flagged + (flagged ? by : 0),
    anomaly: sums.anomaly + by * vector.anomaly,
    ht: shown('ht'),
    hb: shown('hb'),
    hs: shown('hs'),
    hv: shown('hv'),
  };
}

export interface SystemRisk {
  /** The share of agents that are flagged. */
  readonly share: number;
  readonly mean: number;
  readonly isEnough: boolean;
  readonly isBroken: boolean;
}

export function systemRisk({ agents, flagged, anomaly }: NetworkSums): SystemRisk {
  const share = agents === 0 ? 0 : flagged / agents;
  const isEnough = agents >= LEAST_AGENTS;
  const mean = agents === 0 ? 0 : anomaly / agents / ONE;
  return { share, mean, isEnough, isBroken: isEnough && share > BREAKER };
}

export interface Calibrated {
  readonly source: 'default' | 'measured';
  readonly anomaly: number;
  readonly decay: number;
  readonly coordination: number;
  readonly systemic: number;
  /** The mean shortfall of each component over the flagged agents. */
  readonly components: Readonly<Record<Component, number>>;
}

/** `coordination` is the sum of C over the flagged agents, in millionths. */
export function calibrated(sums: NetworkSums, coordination: number): Calibrated {
  const { flagged } = sums;
  const mean = (sum: number) => (flagged === 0 ? 0 : sum / flagged / ONE);
  const components = { ht: mean(sums.ht), hb: mean(sums.hb), hs: mean(sums.hs), hv: mean(sums.hv) };
  const { share, isEnough } = systemRisk(sums);
  if (!isEnough || flagged === 0) {
    const { anomaly, coordination: joint } = DEFAULT_PARAMETERS;
    return { source: 'default', anomaly, decay: 1 - anomaly, coordination: joint, systemic: 0, components };
  }
  const effect = COMPONENT_NAMES.reduce((sum, name) => sum + components[name], 0);
  const anomaly = saturated(effect);
  const joint = saturated(mean(coordination));
  return {
    source: 'measured',
    anomaly,
    decay: 1 - anomaly,
    coordination: joint,
    systemic: saturated(share),
    components,
  };
}

function saturated(effect: number): number {
  return effect / (effect + HALF);
}
