import type { Between } from './evidence.ts';
import type { Ground } from './ground.ts';
import type { Links } from './links.ts';

/** How much of what went from one agent to another counts after clusters and ground. */
export interface OrganicShare {
  /** Of each payment, 0 to 1: what did not flow back, as far as it is grounded. */
  readonly paid: number;
  /** Whether a rating counts: grounded money went between the two, one way or the other. */
  readonly rated: boolean;
}

const NOTHING: OrganicShare = { paid: 0, rated: false };

/** Between two clusters by their numbers; nothing counts inside of one, or of an agent that is not known. */
export function organicBetween(
  { links, ground }: { readonly links: Links; readonly ground: Ground },
  payer: number | undefined,
  target: number | undefined,
): OrganicShare {
  if (payer === undefined || target === undefined || payer === target) return NOTHING;
  const [there, back] = [links.placeOf(payer, target), links.placeOf(target, payer)];
  const grounded = there < 0 ? 0 : ground.grounded[there]!;
  const rated = grounded > 0 || (back >= 0 && ground.grounded[back]! > 0);
  return { paid: grounded === 0 ? 0 : grounded / links.gross[there]!, rated };
}

/** The money between a rater's cluster and the cluster of the agent that it rates. */
export function betweenOf(links: Links, ground: Ground, rater: number, own: number): Between {
  const pair = links.placeOf(rater, own);
  const back = links.placeOf(own, rater);
  return {
    net: pair < 0 ? 0 : links.net[pair]!,
    share: pair < 0 ? ground.riskShare[rater]! : ground.share[pair]!,
    own: ground.own[rater]!,
    vouched: back < 0 ? 0 : ground.vouched[back]!,
  };
}
