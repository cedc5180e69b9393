import { invalidField } from '../../core/plugin.ts';
import { UsdcAmount } from './settlement/usdc-amount.ts';

/** Minor units of a decimal that a schema has checked. */
export function minorOf(text: string): bigint {
  return UsdcAmount.parse(text).minor;
}

export function decimalOf(minor: bigint): string {
  return minor < 0n ? `-${new UsdcAmount(-minor)}` : String(new UsdcAmount(minor));
}

/** The amount of a request, which has to be more than nothing. */
export function positiveMinor(text: string, pointer: string): bigint {
  const minor = minorOf(text);
  if (minor === 0n) throw invalidField(pointer, 'must be more than 0');
  return minor;
}
