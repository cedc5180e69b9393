import { invalidField } from '../../core/plugin.ts';

const DECIMALS = 6;
/** 2^63 - 1 minor units, the largest amount of the protocol. */
const MOST = 2n ** 63n - 1n;

/** Minor units as decimal text: 1500000n is `1.5`. */
export function usdcText(minor: bigint): string {
  const digits = minor.toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return digits.slice(0, -DECIMALS) + (fraction && `.${fraction}`);
}

/** Minor units as JSON carries them: digits in a string above 2^53. */
export function microJson(minor: bigint): number | string {
  return minor <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(minor) : minor.toString();
}

export interface Amounts {
  readonly amount_usdc?: string | undefined;
  readonly amount_usdc_micro?: number | string | undefined;
}

/** The amount of a request that fits its schema, in minor units; undefined where it names none. */
export function amountOf({ amount_usdc, amount_usdc_micro }: Amounts): bigint | undefined {
  if (amount_usdc !== undefined && amount_usdc_micro !== undefined)
    throw invalidField('/amount_usdc_micro', 'cannot be given together with amount_usdc');
  if (amount_usdc !== undefined) return bounded(minorOf(amount_usdc), '/amount_usdc');
  return amount_usdc_micro === undefined ? undefined : bounded(BigInt(amount_usdc_micro), '/amount_usdc_micro');
}

function minorOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

function bounded(amount: bigint, pointer: string): bigint {
  if (amount > MOST) throw invalidField(pointer, 'is larger than any amount the protocol carries');
  return amount;
}
