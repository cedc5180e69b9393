import { TOKEN_PROGRAMS } from './addresses.ts';
import type { Engine } from './engine.ts';
import type { TokenBalance } from './journal-entry.ts';
import { mint, tokenAccount, uiAmount } from './token-accounts.ts';

export interface BalancesNow {
  readonly lamports: readonly number[];
  readonly tokens: readonly TokenBalance[];
}

/** What the accounts of a transaction hold now: read before and after it runs. */
export function balancesOf(engine: Engine, keys: readonly string[]): BalancesNow {
  const lamports: number[] = [];
  const tokens: TokenBalance[] = [];
  keys.forEach((key, accountIndex) => {
    const state = key ? engine.account(key) : null;
    lamports.push(Number(state?.lamports ?? 0n));
    if (!state || !TOKEN_PROGRAMS.has(state.owner)) return;
    const account = tokenAccount(state.data);
    if (!account) return;
    const { mint: mintAddress, owner, amount } = account;
    const uiTokenAmount = uiAmount(amount, decimalsOf(engine, mintAddress));
    tokens.push({ accountIndex, mint: mintAddress, owner, programId: state.owner, uiTokenAmount });
  });
  return { lamports, tokens };
}

export function decimalsOf(engine: Engine, mintAddress: string): number {
  const state = engine.account(mintAddress);
  return (state && mint(state.data)?.decimals) ?? 0;
}
