import { MeshError } from '../../core/errors.ts';
import { formatUsdc } from '../../core/money.ts';

/** Throws `insufficient_funds` with what is missing when a wallet holds less USDC than needed. */
export function checkUsdc(available: bigint, needed: bigint): void {
  checkFunds('USDC', available, needed, formatUsdc);
}

/** The same for SOL, in lamports. */
export function checkSol(available: bigint, needed: bigint): void {
  checkFunds('SOL', available, needed, formatSol);
}

function checkFunds(asset: string, available: bigint, needed: bigint, format: (amount: bigint) => string): void {
  if (available >= needed) return;
  const missing = format(needed - available);
  throw new MeshError('insufficient_funds', {
    detail: `The wallet holds ${format(available)} ${asset} and this transaction needs ${format(needed)}.`,
    extra: { asset, available: format(available), needed: format(needed), missing },
  });
}

export function formatSol(lamports: bigint): string {
  const digits = lamports.toString().padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return digits.slice(0, -9) + (fraction && `.${fraction}`);
}
