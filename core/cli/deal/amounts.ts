import { parseUsdc } from '../../platform/usdc.ts';
import { UsageError } from '../command.ts';

/** An amount of USDC as the API takes it. */
export function usdcOf(where: string, text: string): string {
  if (parseUsdc(text) !== undefined) return text;
  if (/^\d+\.\d{7,}$/.test(text))
    throw new UsageError(`${where} takes USDC with at most 6 decimals, the smallest being 0.000001, not ${text}`);
  throw new UsageError(`${where} takes USDC such as 1.5, not ${text}`);
}

export function wholeOf(where: string, text: string, least = 0, most = 999_999): number {
  const number = /^-?\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`${where} takes a whole number from ${least} to ${most}, not ${text}`);
}
