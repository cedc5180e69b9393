/**
 * The numbers of score 2. Money is in USDC, time in epochs. A change of any of them is another version of the score:
 * a stranger recomputes scores from them.
 */
export const VERSION = 2;

/** After so many epochs an opinion, a burn or an abandoned deal counts half. */
export const HALF_LIFE = 90;

/** The prior for an unknown agent: this much evidence of score 0. */
export const PRIOR = 5;
/** The rank loses this, divided by the square root of the prior and the evidence with money. */
export const SPREAD = 64;

/** Of the job, always from zero. */
export const ROUNDS = 12;
/** The share of its sellers' vouching that a payer may spend as grounded. */
export const RHO = 0.6;
/**
 * The most that a seller vouches, as a share of the payer's payments to it; less where less of its income is
 * grounded.
 */
export const VOUCH = 0.1;
/** The largest part of a payer's vouching that one seller may give. */
export const THIRD = 1 / 3;
/** The share of its grounded earnings that an agent may pass on. */
export const DELTA = 0.25;
/** Grounded USDC for one USDC burnt: leases, slashes, fees, burnt disputes. */
export const KAPPA = 0.1;
/** Grounded USDC for one USDC of active stake. */
export const SIGMA = 0.01;

/** The yardstick is the median grounded mass of so many agents, the largest ones. */
export const TOP = 20;
/** The least it may be. */
export const FLOOR = 10;
/** The weight of grounded evidence as large as the yardstick, and the most that any has. */
export const W_YARD = 20;
export const W_MOST = 40;

/** The weight of a provider's word on its payer, against a payer's word on its provider. */
export const REQUESTER = 0.5;
/** One payer's most of an agent's mass, above `LONE` USDC. */
export const SHARE = 0.5;
export const LONE = 5;
/** An opinion at or above it counts as 100: in the score, and in the rank. */
export const SHOWN = 90;
export const GOOD = 60;
/** Negative mass counts so many times. */
export const BAD = 2;

/** Money that is not grounded: so much has a weight of 1, within these bounds. */
export const RAW_UNIT = 25;
export const RAW_UP = 0.5;
export const RAW_DOWN = 0.25;
/** Ratings without money: the weight of one cluster's word, then the most that all praise and all blame weigh. */
export const FREE_UNIT = 0.05;
export const FREE_UP = 0.25;
export const FREE_DOWN = 0.15;

/** The score that an abandoned deal stands for. */
export const ABANDONED = -50;
