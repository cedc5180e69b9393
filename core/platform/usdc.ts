/**
 * USDC amounts. Inside the system an amount is a bigint of minor units (1 USDC = 1 000 000); on the API it is a
 * decimal string. Floats never touch money.
 */
export const USDC_DECIMALS = 6;
export const ONE_USDC = 1_000_000n;
/** The largest amount the protocol carries: 2^63 - 1 minor units. */
export const MAX_USDC = 2n ** 63n - 1n;

const DECIMAL = /^(0|[1-9]\d{0,12})(?:\.(\d{1,6}))?$/;

/** Minor units of a decimal string such as `"1.5"`; undefined when it is not one, or out of range. */
export function parseUsdc(text: string): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const amount = BigInt(match[1]!) * ONE_USDC + BigInt((match[2] ?? '').padEnd(USDC_DECIMALS, '0'));
  return amount <= MAX_USDC ? amount : undefined;
}

/** The decimal string of an amount, without trailing zeros: 1500000n is `"1.5"`. */
export function formatUsdc(minor: bigint): string {
  const sign = minor < 0n ? '-' : '';
  const digits = (minor < 0n ? -minor : minor).toString().padStart(USDC_DECIMALS + 1, '0');
  const fraction = digits.slice(-USDC_DECIMALS).replace(/0+$/, '');
  return sign + digits.slice(0, -USDC_DECIMALS) + (fraction && `.${fraction}`);
}

/** A decimal string as sentences and pages have it, with two to six decimals: `"1.5"` is `"1.50"`. Machines get `formatUsdc`. */
export function shownUsdc(decimal: string): string {
  const [whole, fraction = ''] = decimal.split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

/** Minor units as JSON carries them: an integer, and a string of digits above 2^53. */
export function amountJson(minor: bigint): number | string {
  return minor <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(minor) : minor.toString();
}
