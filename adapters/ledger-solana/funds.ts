import { MeshError } from '../../core/contracts/errors.ts';
import { formatUsdc } from '../../core/platform/usdc.ts';

/** Throws `insufficient_funds` with the missing sum when a wallet holds less USDC than needed. */
export function checkUsdc(available: bigint, needed: bigint): void {
  checkFunds('USDC', available, needed, formatUsdc);
}

/** The same for SOL, in lamports; names the wallet where the caller gives its address. */
export function checkSol(available: bigint, needed: bigint, wallet?: string): void {
  checkFunds('SOL', available, needed, formatSol, wallet);
}

function checkFunds(
  asset: string,
  available: bigint,
  needed: bigint,
  format: (amount: bigint) => string,
  wallet?: string,
): void {
  if (available >= needed) return;
  const missing = format(needed - available);
  throw new MeshError('insufficient_funds', {
    detail: `The wallet${wallet === undefined ? '' : ` ${wallet}`} holds ${format(available)} ${asset} and this transaction needs ${format(needed)}.`,
    extra: { asset, available: format(available), needed: format(needed), missing },
  });
}

export function formatSol(lamports: bigint): string {
  const digits = lamports.toString().padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return digits.slice(0, -9) + (fraction && `.${fraction}`);
}
