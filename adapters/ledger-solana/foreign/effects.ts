import { type PublicKey, SystemProgram } from '@solana/web3.js';
import bs58 from 'bs58';
import type { ForeignEffects } from '../../../core/ledger/foreign.ts';
import type { Account } from '../holdings.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../instructions.ts';

/** Wrapped SOL: its tokens are the lamports of the account that holds them. */
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const TOKEN_ACCOUNT_BYTES = 165;
/** Where a token account of the second program says that it is one, and not a mint with as many bytes. */
const KIND_AT = 165;
const TOKEN_ACCOUNT_KIND = 2;
const MINT_BYTES = 82;
const MINT_KIND = 1;
const TOKEN_PROGRAMS = [TOKEN_PROGRAM.toBase58(), TOKEN_2022_PROGRAM.toBase58()];
const SYSTEM = SystemProgram.programId.toBase58();

interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly delegate: string | undefined;
  readonly closeAuthority: string | undefined;
}

/** An account that a transaction may change, before it and after. */
export interface Changed {
  readonly address: PublicKey;
  readonly before: Account | null;
  readonly after: Account | null;
}

/** The changes of a wallet among those of all accounts that a transaction may change. */
export function effectsOn(wallet: string, changes: readonly Changed[]): ForeignEffects {
  let lamports = 0n;
  const tokens = new Map<string, bigint>();
  const faults: string[] = [];
  const add = (mint: string, amount: bigint) => {
    if (mint !== WRAPPED_SOL && amount !== 0n) tokens.set(mint, (tokens.get(mint) ?? 0n) + amount);
  };
  for (const { address, before, after } of changes) {
    if (address.toBase58() === wallet) {
      lamports += (after?.lamports ?? 0n) - (before?.lamports ?? 0n);
      if (after && (after.owner !== SYSTEM || after.data.length > 0)) faults.push('gives the wallet to a program');
      continue;
    }
    if (isMintOf(before, wallet) && !before!.data.equals(after?.data ?? Buffer.alloc(0)))
      faults.push(`changes the mint ${address.toBase58()}, which this wallet issues`);
    const [held, holds] = [tokenAccountOf(before), tokenAccountOf(after)];
    const wasOurs = held?.owner === wallet;
    const isOurs = holds?.owner === wallet;
    if (wasOurs) {
      lamports -= before!.lamports;
      add(held.mint, -held.amount);
    }
    if (isOurs) {
      lamports += after!.lamports;
      add(holds.mint, holds.amount);
    }
    const at = address.toBase58();
    // Its lamports may come back; the account is gone all the same. Wrapped SOL is closed to unwrap it.
    if (wasOurs && !holds && held.mint !== WRAPPED_SOL) faults.push(`closes the token account ${at} of ${held.mint}`);
    if (wasOurs && holds && !isOurs) faults.push(`gives the token account ${at} to ${holds.owner}`);
    if (isOurs && holds.delegate !== undefined && holds.delegate !== held?.delegate)
      faults.push(`lets ${holds.delegate} spend from the token account ${at}`);
    if (isOurs && holds.closeAuthority !== undefined && holds.closeAuthority !== held?.closeAuthority)
      faults.push(`lets ${holds.closeAuthority} close the token account ${at}`);
  }
  for (const [mint, amount] of tokens) if (amount === 0n) tokens.delete(mint);
  return { lamports, tokens, faults };
}

/** Whether anything of the wallet changed: itself, a token account of it, or a mint that it issues. */
export function touches(wallet: string, changes: readonly Changed[]): boolean {
  return changes.some(({ address, before, after }) => {
    const isOurs = (account: Account | null) => tokenAccountOf(account)?.owner === wallet || isMintOf(account, wallet);
    return (address.toBase58() === wallet || isOurs(before) || isOurs(after)) && !isSame(before, after);
  });
}

function isSame(one: Account | null, other: Account | null): boolean {
  if (!one || !other) return one === other;
  return one.lamports === other.lamports && one.owner === other.owner && one.data.equals(other.data);
}

/** Whether the wallet may mint or freeze its tokens. */
function isMintOf(account: Account | null, wallet: string): boolean {
  if (!account || !TOKEN_PROGRAMS.includes(account.owner) || account.data.length < MINT_BYTES) return false;
  const { data } = account;
  if (data.length !== MINT_BYTES && data[KIND_AT] !== MINT_KIND) return false;
  return [0, 46].some((at) => data.readUInt32LE(at) === 1 && bs58.encode(data.subarray(at + 4, at + 36)) === wallet);
}

function tokenAccountOf(account: Account | null): TokenAccount | undefined {
  if (!account || !TOKEN_PROGRAMS.includes(account.owner)) return undefined;
  const { data } = account;
  const isAccount = data.length === TOKEN_ACCOUNT_BYTES || data[KIND_AT] === TOKEN_ACCOUNT_KIND;
  if (data.length < TOKEN_ACCOUNT_BYTES || !isAccount) return undefined;
  const key = (at: number) => bs58.encode(data.subarray(at, at + 32));
  const optional = (at: number) => (data.readUInt32LE(at) === 1 ? key(at + 4) : undefined);
  return {
    mint: key(0),
    owner: key(32),
    amount: data.readBigUInt64LE(64),
    delegate: optional(72),
    closeAuthority: optional(129),
  };
}
