import type { SchemaTypes } from '../../../schemas/types.ts';
import { COMPONENT_NAMES, COMPONENTS, type Component, FLAGGED, MIN_SAMPLES, ONE } from './parameters.ts';
import { sampleCount, type Tally } from './tally.ts';

/** An agent's epoch: entropies in millionths of a bit, null where there are too few samples. */
export type Vector = SchemaTypes['stored-entropy'];
type Entropies = Pick<Vector, Component>;

/** Shannon's entropy of how often each thing occurred, in millionths of a bit. */
export function entropyOf(counts: Readonly<Record<string, number>>): number {
  // In one order, so that everybody gets the same bits.
  const sorted = Object.values(counts).sort((one, other) => one - other);
  const all = sorted.reduce((sum, count) => sum + count, 0);
  if (all === 0) return 0;
  const weighted = sorted.reduce((sum, count) => sum + count * Math.log2(count), 0);
  return Math.max(0, Math.round(ONE * (Math.log2(all) - weighted / all)));
}

export function vectorOf(tally: Tally): Vector {
  const { epoch, moments, gaps, amounts, partners, verifiers, types } = tally;
  const n = {
    n_ht: moments,
    n_hb: sampleCount(amounts),
    n_hs: sampleCount(partners),
    n_hv: sampleCount(verifiers),
    n_hm: sampleCount(types),
  };
  const measured = (counts: Readonly<Record<string, number>>, samples: number) =>
    samples < MIN_SAMPLES ? null : entropyOf(counts);
  const entropies = {
    ht: measured(gaps, n.n_ht),
    hb: measured(amounts, n.n_hb),
    hs: measured(partners, n.n_hs),
    hv: measured(verifiers, n.n_hv),
  };
  const anomaly = COMPONENT_NAMES.reduce((sum, name) => sum + shortfallOf(entropies, name), 0);
  return { epoch, ...entropies, hm: measured(types, n.n_hm), anomaly, ...n };
}

/** The part of the anomaly that one component makes, in millionths. */
export function shortfallOf(entropies: Entropies, name: Component): number {
  const entropy = entropies[name];
  const { threshold, weight } = COMPONENTS[name];
  return entropy === null ? 0 : Math.round((weight * Math.max(0, threshold - entropy)) / 100);
}

/** Whether anything in it can be judged. */
export function isMeasured(entropies: Entropies): boolean {
  return COMPONENT_NAMES.some((name) => entropies[name] !== null);
}

export function isFlagged({ anomaly }: Pick<Vector, 'anomaly'>): boolean {
  return anomaly > FLAGGED;
}
