import { DELTA, KAPPA, RHO, ROUNDS, SIGMA, THIRD, VOUCH } from './parameters.ts';

/**
 * Net payments between clusters. Clusters are numbered from 0 in bytewise order of their names, and pairs are in
 * bytewise order of payer and target: floating point sums depend on their order, and everybody must compute the same
 * bits.
 */
export interface Economy {
  readonly clusters: number;
  /** USDC that escrows paid from `payer[i]` to `target[i]`, less the USDC that came back; always above 0. */
  readonly payer: Int32Array;
  readonly target: Int32Array;
  readonly net: Float64Array;
  /** The share of each pair's payments with which the target may vouch for the payer; all of it unless given. */
  readonly vouching?: Float64Array | undefined;
  /** By cluster: USDC that came back to it from deals which it rated badly. */
  readonly risk: Float64Array;
  /** By cluster: USDC burnt and staked. */
  readonly burnt: Float64Array;
  readonly staked: Float64Array;
  /** By cluster: 1 where an anchor belongs to it. */
  readonly anchor: Uint8Array;
}

/** How much of what each cluster paid stands on good ground. */
export interface Ground {
  /** By pair: the grounded share of the net, and the grounded USDC. */
  readonly share: Float64Array;
  readonly grounded: Float64Array;
  /** By pair: USDC with which the target vouches for the payer. */
  readonly vouched: Float64Array;
  /** By cluster: the share that is its own money and not money that went round. */
  readonly own: Float64Array;
  /** By cluster: the grounded share of what it puts at risk with somebody whom it never paid. */
  readonly riskShare: Float64Array;
}

/**
 * Spreads ground from its sources (anchors, burns, stakes) along payments, in exactly twelve rounds. A payment is
 * grounded as far as the payer's money is its own and there is reason to trust the payer. A payee passes on a part of
 * its grounded income, and vouches a little for its payers. A target's own vouching never counts for itself.
 */
export function groundOf(economy: Economy): Ground {
  const { clusters, payer, target, net, vouching, risk, burnt, staked, anchor } = economy;
  const pairs = net.length;
  const out = new Float64Array(clusters);
  const into = new Float64Array(clusters);
  for (let pair = 0; pair < pairs; pair++) {
    out[payer[pair]!]! += net[pair]!;
    into[target[pair]!]! += net[pair]!;
  }
  const spent = out.map((amount, cluster) => amount + risk[cluster]!);
  const fresh = out.map((amount, cluster) => Math.max(0, amount - into[cluster]!));
  const reach = new Float64Array(clusters);
  const trust = new Float64Array(clusters);
  const share = new Float64Array(pairs);
  const grounded = new Float64Array(pairs);
  const vouched = new Float64Array(pairs);
  let earned = new Float64Array(clusters);
  let backed = new Float64Array(clusters);
  for (let round = 0; round < ROUNDS; round++) {
    reachOf();
    for (let pair = 0; pair < pairs; pair++) {
      const from = payer[pair]!;
      const believed = anchor[from] ? reach[from]! : trust[from]! + RHO * Math.max(0, backed[from]! - vouched[pair]!);
      share[pair] = Math.min(1, reach[from]! / spent[from]!, believed / spent[from]!);
      grounded[pair] = share[pair]! * net[pair]!;
    }
    earned = sumBy(target, grounded, clusters);
    for (let pair = 0; pair < pairs; pair++) {
      const by = target[pair]!;
      const heard = vouching ? net[pair]! * vouching[pair]! : net[pair]!;
      vouched[pair] = heard * Math.min(VOUCH, Math.max(0, earned[by]! - grounded[pair]!) / into[by]!);
    }
    const most = sumBy(payer, vouched, clusters);
    for (let pair = 0; pair < pairs; pair++) vouched[pair] = Math.min(vouched[pair]!, THIRD * most[payer[pair]!]!);
    backed = sumBy(payer, vouched, clusters);
  }
  reachOf();
  const own = fresh.map((amount, cluster) => (spent[cluster]! > 0 ? Math.min(1, amount / spent[cluster]!) : 0));
  const riskShare = spent.map((amount, cluster) => {
    if (amount === 0) return 0;
    const believed = anchor[cluster] ? reach[cluster]! : trust[cluster]! + RHO * backed[cluster]!;
    return Math.min(1, reach[cluster]! / amount, believed / amount);
  });
  return { share, grounded, vouched, own, riskShare };

  /**
   * Sets each cluster's reach, the money it can have spent of its own, and its trust without the vouching of others.
   */
  function reachOf(): void {
    for (let cluster = 0; cluster < clusters; cluster++) {
      const passed = DELTA * earned[cluster]!;
      reach[cluster] = fresh[cluster]! + passed;
      trust[cluster] = KAPPA * burnt[cluster]! + SIGMA * staked[cluster]! + passed;
    }
  }
}

function sumBy(keys: Int32Array, values: Float64Array, clusters: number): Float64Array<ArrayBuffer> {
  const sums = new Float64Array(clusters);
  for (let index = 0; index < values.length; index++) sums[keys[index]!]! += values[index]!;
  return sums;
}
