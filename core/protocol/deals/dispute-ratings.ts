import { ONE_USDC } from '../../platform/usdc.ts';
import { agreedEscrowOf, type DealRecord } from './record.ts';

/** The rating that the end of a dispute gives a party. Scores are -100 to 100, as in ratings. */
export interface DisputeRating {
  /** `conceded`: the offer of the dispute stood. `burnt`: neither gave in. `lost`: the notary decided for the other. */
  readonly kind: 'conceded' | 'burnt' | 'lost';
  readonly by: string;
  readonly at: number;
  readonly score: number;
  readonly weight: number;
}

const WHOLE_BPS = 10_000;
export const CONCEDED_SCORE = -50;
export const BURNT_SCORE = -25;
export const LOST_SCORE = -50;
/** From this much on a burn has its whole weight. */
const WHOLE_BURN = 10n * ONE_USDC;

/**
 * The ratings that the end of a deal's dispute gives its parties; none until the ledger has ended it. Only a dispute
 * over the agreed escrow counts: a dispute over any other lock moves nobody's score.
 */
export function disputeRatings(record: DealRecord): readonly DisputeRating[] {
  const escrow = agreedEscrowOf(record);
  const { lock, closed } = escrow ?? {};
  if (!lock || !closed?.dispute) return [];
  const { offer_bps, contested, for_provider, burnt } = closed.dispute;
  const { at, outcome } = closed;
  const { requester, provider } = lock;
  if (outcome === 'refunded' || (outcome === 'split' && !contested)) {
    const score = (CONCEDED_SCORE * (WHOLE_BPS - offer_bps)) / WHOLE_BPS || 0;
    return [{ kind: 'conceded', by: provider, at, score, weight: 1 }];
  }
  if (outcome === 'decided' && for_provider !== null)
    return [{ kind: 'lost', by: for_provider ? requester : provider, at, score: LOST_SCORE, weight: 1 }];
  const weight = outcome === 'split' ? weightOf(BigInt(burnt)) : 0;
  if (weight === 0) return [];
  return [requester, provider].map((by) => ({ kind: 'burnt', by, at, score: BURNT_SCORE, weight }));
}

function weightOf(burnt: bigint): number {
  return burnt >= WHOLE_BURN ? 1 : Number(burnt) / Number(WHOLE_BURN);
}
