import { formatUsdc } from '../../platform/usdc.ts';
import type { Terms } from './deal.ts';

/** The money that one side can lose by an offer with escrow, in minor units. */
export interface Risk {
  readonly locks: bigint;
  /** The money that the requester pays, and the provider gets, when neither side acts after the delivery. */
  readonly silent: bigint;
  /** Requester: the most it can lose. Provider: the least it gets for work that it delivered. */
  readonly worst: bigint;
  /** Sentences for whoever decides about the offer. */
  readonly texts: readonly string[];
}

type RiskTerms = Pick<Terms, 'amount' | 'bond' | 'dispute_bps' | 'notary'>;

const WHOLE = 10_000n;

/** The risk of these terms for one side; `disputeSecs` is how long a dispute can be contested. */
export function riskOf(terms: RiskTerms, role: 'requester' | 'provider', disputeSecs: number): Risk {
  return role === 'requester' ? requesterRisk(terms) : providerRisk(terms, disputeSecs);
}

function requesterRisk(terms: RiskTerms): Risk {
  const { amount, bond, floor } = figuresOf(terms);
  const locks = amount + bond;
  const contested = locks - share(bond, floor);
  const texts = [
    `You lock ${formatUsdc(locks)}.`,
    `Silent after delivery you pay ${formatUsdc(amount)}.`,
    `Dispute at ${percent(terms.dispute_bps)} and it is contested: you lose up to ${formatUsdc(contested)}.`,
    `You never lose more than ${formatUsdc(amount)} unless you dispute.`,
    notaryText(terms.notary),
  ];
  return { locks, silent: amount, worst: contested, texts };
}

function providerRisk(terms: RiskTerms, disputeSecs: number): Risk {
  const { amount, floor } = figuresOf(terms);
  const worst = share(amount, floor);
  const texts = [
    'You never pay USDC.',
    `Worst case: ${formatUsdc(worst)} for your work.`,
    `You must answer a dispute within ${timeText(disputeSecs)}.`,
    notaryText(terms.notary),
  ];
  return { locks: 0n, silent: amount, worst, texts };
}

function notaryText(notary: string | null): string {
  return notary === null
    ? 'No notary: what is contested burns.'
    : `The notary ${notary} decides what is contested; its silence burns it.`;
}

function figuresOf({ amount, bond, dispute_bps }: RiskTerms) {
  return { amount: BigInt(amount), bond: BigInt(bond), floor: BigInt(dispute_bps) };
}

function share(of: bigint, bps: bigint): bigint {
  return (of * bps) / WHOLE;
}

function percent(bps: number): string {
  return bps === 0 ? '0' : `${bps / 100} %`;
}

function timeText(seconds: number): string {
  if (seconds % 86_400 === 0) return seconds === 86_400 ? '1 day' : `${seconds / 86_400} days`;
  return seconds % 3_600 === 0 ? `${seconds / 3_600} hours` : `${seconds} seconds`;
}
