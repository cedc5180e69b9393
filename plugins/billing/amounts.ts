import { invalidField, MAX_USDC, parseUsdc } from '../../core/plugin.ts';

/** Minor units of a setting that a schema has checked; one beyond all amounts is the largest. */
export function minorOf(text: string): bigint {
  return parseUsdc(text) ?? MAX_USDC;
}

/** The amount of a request, which has to be more than nothing. */
export function positiveMinor(text: string, pointer: string): bigint {
  const minor = parseUsdc(text);
  if (minor === undefined) throw invalidField(pointer, 'is larger than any amount the protocol carries');
  if (minor === 0n) throw invalidField(pointer, 'must be more than 0');
  return minor;
}
