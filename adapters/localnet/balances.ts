import { TOKEN_PROGRAMS } from './addresses.ts';
import type { AccountState, Accounts } from './engine.ts';
import type { TokenBalance } from './journal-entry.ts';
import { mint, tokenAccount, uiAmount } from './token-accounts.ts';

export interface BalancesNow {
  readonly lamports: readonly number[];
  readonly tokens: readonly TokenBalance[];
  readonly states: readonly (AccountState | null)[];
}

/** The balances of a transaction's accounts now: read before and after it runs. */
export function balancesOf(accounts: Accounts, keys: readonly string[]): BalancesNow {
  const lamports: number[] = [];
  const states = keys.map((key) => (key ? accounts.account(key) : null));
  const tokens: TokenBalance[] = [];
  states.forEach((state, accountIndex) => {
    lamports.push(Number(state?.lamports ?? 0n));
    if (!state || !TOKEN_PROGRAMS.has(state.owner)) return;
    const account = tokenAccount(state.data);
    if (!account) return;
    const { mint: mintAddress, owner, amount } = account;
    const uiTokenAmount = uiAmount(amount, decimalsOf(accounts, mintAddress));
    tokens.push({ accountIndex, mint: mintAddress, owner, programId: state.owner, uiTokenAmount });
  });
  return { lamports, tokens, states };
}

export function decimalsOf(accounts: Accounts, mintAddress: string): number {
  const state = accounts.account(mintAddress);
  return (state && mint(state.data)?.decimals) ?? 0;
}
