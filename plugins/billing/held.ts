import type { LedgerAccounts, Space } from '../../core/services.ts';
import { tokenAccountOf } from './settlement/solana/addresses.ts';
import { tokenAmount } from './settlement/solana/tokens.ts';
import { addresses, type DepositAddress } from './stored.ts';

/** As many accounts as one read of the ledger gives. */
export const READ_AT_ONCE = 100;

export interface HeldOptions {
  readonly space: Space;
  readonly ledger: LedgerAccounts;
}

/** The USDC at so many addresses as one read gives, in their order. */
export async function heldAt(options: HeldOptions, rows: readonly DepositAddress[]): Promise<bigint[]> {
  if (rows.length === 0) return [];
  const accounts: string[] = [];
  for (const row of rows) accounts.push(await tokenAccountAt(options, row));
  const { value } = await options.ledger.get(accounts);
  return value.map((account) => (account ? tokenAmount(account.data) : 0n));
}

/** Whether the books have it all. Where the address is being emptied, its amount may have left it before the books say so. */
export function fits({ unswept, sweep }: DepositAddress, held: bigint): boolean {
  const booked = BigInt(unswept);
  return held === booked || (sweep !== undefined && held === booked - BigInt(sweep.amount));
}

/** Where the USDC of an address is; a record from before it was kept has it written down. */
async function tokenAccountAt({ space, ledger }: HeldOptions, row: DepositAddress): Promise<string> {
  const { agent, address, account } = row;
  if (account !== undefined) return account;
  const derived = tokenAccountOf(address, ledger.usdcMint!);
  const ref = addresses.ref(agent);
  await space.tx([ref], (tx) => {
    const found = tx.get(ref);
    if (found) tx.put(ref, { ...found, account: derived });
  });
  return derived;
}
