import { ONE_USDC } from '../money.ts';

/**
 * What a rating weighs before its cluster's budget: 0.25 from an unknown rater without money at stake, 4 at most.
 * `net` is what escrow released between the two clusters for this deal's direction in 90 epochs, less what flowed
 * back, in minor units; `raterScore` is the rater's score when the rating is counted, and is never looked up again.
 */
export function ratingWeight(net: bigint, raterScore: number): number {
  const stake = net > 0n ? Math.min(3, Math.log2(1 + Number(net) / Number(ONE_USDC) / 10)) : 0;
  return (1 + stake) * (0.25 + (0.75 * Math.max(0, raterScore)) / 100);
}
