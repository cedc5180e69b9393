import { invalidField } from '../../errors.ts';
import { MAX_USDC, parseUsdc } from '../../money.ts';

interface Amounts {
  readonly amount_usdc?: string;
  readonly amount_usdc_micro?: number | string;
}

/** The amount of a request that must name one, in minor units. */
export function amountOf(request: Amounts): bigint {
  const amount = optionalAmountOf(request);
  if (amount === undefined) throw invalidField('/amount_usdc', 'is needed: give amount_usdc or amount_usdc_micro');
  return amount;
}

/** The amount of a request that may leave it out; naming it twice is refused, even when both agree. */
export function optionalAmountOf({ amount_usdc, amount_usdc_micro }: Amounts): bigint | undefined {
  if (amount_usdc !== undefined && amount_usdc_micro !== undefined) {
    throw invalidField('/amount_usdc_micro', 'cannot be given together with amount_usdc');
  }
  if (amount_usdc !== undefined) return parseUsdc(amount_usdc) ?? fail('/amount_usdc');
  if (amount_usdc_micro === undefined) return undefined;
  const amount = BigInt(amount_usdc_micro);
  return amount <= MAX_USDC ? amount : fail('/amount_usdc_micro');
}

function fail(pointer: string): never {
  throw invalidField(pointer, 'is larger than any amount the protocol carries (2^63 - 1 minor units)');
}
