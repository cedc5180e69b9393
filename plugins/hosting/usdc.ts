import { invalidField, MAX_USDC, parseUsdc } from '../../core/plugin.ts';

export interface Amounts {
  readonly amount_usdc?: string | undefined;
  readonly amount_usdc_micro?: number | string | undefined;
}

/** The amount of a request that fits its schema, in minor units; undefined where it names none. */
export function amountOf({ amount_usdc, amount_usdc_micro }: Amounts): bigint | undefined {
  if (amount_usdc !== undefined && amount_usdc_micro !== undefined)
    throw invalidField('/amount_usdc_micro', 'cannot be given together with amount_usdc');
  if (amount_usdc !== undefined) return bounded(parseUsdc(amount_usdc), '/amount_usdc');
  return amount_usdc_micro === undefined ? undefined : bounded(BigInt(amount_usdc_micro), '/amount_usdc_micro');
}

function bounded(amount: bigint | undefined, pointer: string): bigint {
  if (amount === undefined || amount > MAX_USDC)
    throw invalidField(pointer, 'is larger than any amount the protocol carries');
  return amount;
}
