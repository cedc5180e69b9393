import type { Clock } from '../platform/clock.ts';
import { formatUsdc } from '../platform/usdc.ts';
import type { Ledger } from './ledger.ts';

const LAMPORTS = 1_000_000_000;
/** Less SOL than this pays for a few transactions only. */
export const LITTLE_SOL = 0.01;
/** Milliseconds that a start waits to tell of the wallet. */
const PATIENCE = 2_000;

export interface EmptyWallet {
  readonly what: string;
  readonly remedy: string;
}

/** The warning that a node's wallet cannot pay the fees of its steps; undefined while it can. */
export function emptyWallet(address: string, sol: number, usdc: string): EmptyWallet | undefined {
  if (sol >= LITTLE_SOL) return undefined;
  return {
    what: `${address} holds ${sol} SOL and ${usdc} USDC: without SOL for fees it can lock, pay, stake and lease nothing`,
    remedy: `on a localnet: mesh faucet ${address} --sol 1 --usdc 100; docs/operations.md says where else it comes from`,
  };
}

/** The same of a wallet on the ledger; undefined too when the ledger does not say soon. */
export async function emptyWalletOn(ledger: Ledger, address: string, clock: Clock): Promise<EmptyWallet | undefined> {
  const look = async () => {
    const [{ lamports }, usdc] = await Promise.all([ledger.balances(address), ledger.usdc(address)]);
    return emptyWallet(address, Number(lamports) / LAMPORTS, formatUsdc(usdc));
  };
  const given = new AbortController();
  const late = clock.sleep(PATIENCE, given.signal).then(
    () => undefined,
    () => undefined,
  );
  return Promise.race([look().catch(() => undefined), late]).finally(() => given.abort());
}
