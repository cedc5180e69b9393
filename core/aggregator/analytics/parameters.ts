/**
 * The numbers of the analytics, version 1. Entropies are in millionths of a bit and anomalies in millionths, as
 * integers: sums that are kept step by step are exactly those of a computation from scratch.
 */
export const VERSION = 1;

export const ONE = 1_000_000;

/** Fewer samples than this say nothing about a component. */
export const MIN_SAMPLES = 4;

/** An entropy below the threshold adds to the anomaly, in hundredths. */
export const COMPONENTS = {
  ht: { threshold: 2 * ONE, weight: 35 },
  hb: { threshold: 1.5 * ONE, weight: 20 },
  hs: { threshold: 1.5 * ONE, weight: 30 },
  hv: { threshold: ONE, weight: 15 },
} as const;

export type Component = keyof typeof COMPONENTS;
export const COMPONENT_NAMES = Object.keys(COMPONENTS) as Component[];

/** An agent whose anomaly is above this is flagged. */
export const FLAGGED = 0.55 * ONE;

/** The time between two messages is measured in slots of the ledger. */
export const SLOT_MS = 400;

/** Names that are counted apart in an epoch; more of them share 256 places. */
export const MOST_NAMES = 64;

/** The epochs for which a last vector is an agent's present one. */
export const PRESENT_EPOCHS = 7;
/** The epochs for which vectors are kept. */
export const KEPT_EPOCHS = 128;
/** An epoch is closed this long after its end, so that what the ledger tells late is in it. */
export const GRACE_MS = 600_000;

/** A mean anomaly that hardly moves, over this many epochs at least, is a habit. */
export const LOW_VARIANCE = { variance: 0.005, mean: 0.3, epochs: 5 } as const;

/** Epochs with VERDICTs from which on an agent is in the list of concentrations. */
export const VERIFIED_EPOCHS = 3;
/** Verifiers are concentrated in an epoch whose entropy is below. */
export const CONCENTRATED = COMPONENTS.hv.threshold;

/** Fewer agents than this make no statement about the network. */
export const LEAST_AGENTS = 10;
/** The share of flagged agents above which the circuit breaker is active. */
export const BREAKER = 0.5;

/** The effect x of which the parameter x / (x + HALF) is one half. */
export const HALF = 0.15;
/** The parameters where too little is known to calibrate them. */
export const DEFAULT_PARAMETERS = { anomaly: 0.87, coordination: 0.3 } as const;

/** Agents behave alike whose anomalies are no further apart. */
export const ALIKE = 0.05 * ONE;
/** Most anomalous agents that are compared with each other. */
export const MOST_COMPARED = 200;
/** C is 1 from this many agents more than one on. */
export const FULL_CLUSTER = 10;
/** Agents of one owner that are listed and compared. */
export const MOST_OWNED = 200;
