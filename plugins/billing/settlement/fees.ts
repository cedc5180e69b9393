/** A settlement that is attested before the burn is final, or after. */
export type Speed = 'fast' | 'standard';
/** `fast` falls back to `standard` where a fast transfer is not offered. */
export type FeePolicy = Speed;

/** The finality that a burn asks for, by speed. */
export const FINALITY: Readonly<Record<Speed, number>> = { fast: 1_000, standard: 2_000 };

/** The fee of the transfer service between two chains at one finality. */
export interface TransferFee {
  readonly finality: number;
  /** Hundredths of a percent, as thousandths of them: the service gives fractions such as 1.3. */
  readonly milliBps: bigint;
  /** Minor units for having the mint submitted by the service; absent when it was not asked for. */
  readonly forward?: bigint;
}

/** Seconds that a settlement takes, from the burn to the mint. */
export const SECONDS: Readonly<Record<Speed, { readonly least: number; readonly most: number }>> = {
  fast: { least: 30, most: 30 },
  standard: { least: 120, most: 780 },
};

/** The platform takes 1 % of a cross-chain settlement. */
const PLATFORM_BPS = 100n;
/** The transfer provider's part of the platform fee. */
const PROVIDER_BPS = 1_000n;
const ALL_BPS = 10_000n;

export interface PlatformFee {
  readonly fee: bigint;
  readonly treasury: bigint;
  readonly provider: bigint;
}

/** 1 % rounded down, of which 10 % rounded down go to the transfer provider; the odd unit stays with the treasury. */
export function platformFee(amount: bigint): PlatformFee {
  const fee = (amount * PLATFORM_BPS) / ALL_BPS;
  const provider = (fee * PROVIDER_BPS) / ALL_BPS;
  return { fee, treasury: fee - provider, provider };
}

/** The fee of the speed that the policy asks for, or of the slower one where the faster is not offered. */
export function feeOf(fees: readonly TransferFee[], policy: FeePolicy): { speed: Speed; fee: TransferFee } | undefined {
  const order: readonly Speed[] = policy === 'fast' ? ['fast', 'standard'] : ['standard'];
  for (const speed of order) {
    const fee = fees.find(({ finality }) => finality === FINALITY[speed]);
    if (fee) return { speed, fee };
  }
  return undefined;
}

/** The fee for a burn of that amount, rounded up. */
export function transferFee(amount: bigint, { milliBps, forward = 0n }: TransferFee): bigint {
  return ceilDiv(amount * milliBps, ALL_BPS * 1_000n) + forward;
}

/** The most that the burn lets the service take: a tenth more than its fee, which may rise until it attests. */
export function maxFee(amount: bigint, { milliBps, forward = 0n }: TransferFee): bigint {
  return ceilDiv(ceilDiv(amount * milliBps, ALL_BPS * 1_000n) * 11n, 10n) + forward;
}

function ceilDiv(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
