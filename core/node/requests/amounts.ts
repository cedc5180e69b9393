import { invalidField } from '../../contracts/errors.ts';
import { formatUsdc, MAX_USDC, parseUsdc } from '../../platform/usdc.ts';

interface Amounts {
  readonly amount_usdc?: string;
  readonly amount_usdc_micro?: number | string;
}

interface Bonds {
  readonly bond_usdc?: string;
  readonly bond_usdc_micro?: number | string;
}

/** The amount of a request that must name one, in minor units. */
export function amountOf(request: Amounts): bigint {
  const amount = optionalAmountOf(request);
  if (amount === undefined) throw invalidField('/amount_usdc', 'is needed: give amount_usdc or amount_usdc_micro');
  return amount;
}

/** The amount of a request that may leave it out; naming it twice is refused, even when both agree. */
export function optionalAmountOf({ amount_usdc, amount_usdc_micro }: Amounts): bigint | undefined {
  return eitherOf('amount', amount_usdc, amount_usdc_micro);
}

/** The bond of a request that may leave it out, by the same rules. */
export function optionalBondOf({ bond_usdc, bond_usdc_micro }: Bonds): bigint | undefined {
  return eitherOf('bond', bond_usdc, bond_usdc_micro);
}

/** Refuses another amount than this one, by the caller's own name for it and with what fits. One that is left out is no other. */
export function checkAmount(request: Amounts, amount: bigint, other: string): void {
  requireSame(['amount', request.amount_usdc], optionalAmountOf(request), amount, other);
}

/** The same for a bond. */
export function checkBond(request: Bonds, bond: bigint, other: string): void {
  requireSame(['bond', request.bond_usdc], optionalBondOf(request), bond, other);
}

function requireSame(
  [name, usdc]: readonly [name: string, usdc: string | undefined],
  asked: bigint | undefined,
  wanted: bigint,
  other: string,
): void {
  if (asked === undefined || asked === wanted) return;
  const field = usdc === undefined ? `/${name}_usdc_micro` : `/${name}_usdc`;
  throw invalidField(field, `${other}, ${formatUsdc(wanted)} USDC (${wanted} minor units)`);
}

function eitherOf(name: string, usdc: string | undefined, micro: number | string | undefined): bigint | undefined {
  if (usdc !== undefined && micro !== undefined) {
    throw invalidField(`/${name}_usdc_micro`, `cannot be given together with ${name}_usdc`);
  }
  if (usdc !== undefined) return parseUsdc(usdc) ?? fail(`/${name}_usdc`);
  if (micro === undefined) return undefined;
  const amount = BigInt(micro);
  return amount <= MAX_USDC ? amount : fail(`/${name}_usdc_micro`);
}

function fail(pointer: string): never {
  throw invalidField(pointer, 'is larger than any amount the protocol carries (2^63 - 1 minor units)');
}
