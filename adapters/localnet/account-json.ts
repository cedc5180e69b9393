import bs58 from 'bs58';
import { TOKEN_PROGRAM, TOKEN_PROGRAMS } from './addresses.ts';
import { decimalsOf } from './balances.ts';
import type { AccountState, Accounts } from './engine.ts';
import type { Options } from './params.ts';
import { invalidParams } from './rpc-error.ts';
import { MULTISIG_BYTES, mint, tokenAccount, uiAmount } from './token-accounts.ts';

const ENCODINGS = ['base64', 'base58', 'jsonParsed'] as const;
/** Nodes refuse longer data in base58, which is slow to write. */
const MAX_BASE58_BYTES = 128;

/** How a caller wants accounts written. */
export interface AccountFormat {
  readonly encoding: (typeof ENCODINGS)[number];
  readonly slice: { readonly offset: number; readonly length: number } | undefined;
}

export function accountFormat(options: Options): AccountFormat {
  const encoding = options.oneOf('encoding', ENCODINGS, 'base64');
  if (!options.has('dataSlice')) return { encoding, slice: undefined };
  const slice = options.options('dataSlice');
  const max = Number.MAX_SAFE_INTEGER;
  return { encoding, slice: { offset: slice.integer('offset', 0, max), length: slice.integer('length', 0, max) } };
}

/** An account as RPC nodes write it. */
export function accountJson(accounts: Accounts, state: AccountState, { encoding, slice }: AccountFormat): object {
  const { owner, executable, data } = state;
  const shown = slice ? data.subarray(slice.offset, slice.offset + slice.length) : data;
  const parsed = encoding === 'jsonParsed' ? parseTokenData(accounts, owner, data) : undefined;
  return {
    lamports: Number(state.lamports),
    owner,
    executable,
    rentEpoch: 0,
    space: data.length,
    data: parsed ?? (encoding === 'base58' ? base58Data(shown) : [shown.toString('base64'), 'base64']),
  };
}

function base58Data(data: Buffer): [string, 'base58'] {
  if (data.length > MAX_BASE58_BYTES) {
    throw invalidParams(`base58 data must be at most ${MAX_BASE58_BYTES} bytes; use base64`);
  }
  return [bs58.encode(data), 'base58'];
}

/** Undefined where there is no parsed form, in which case nodes fall back to base64. */
function parseTokenData(accounts: Accounts, owner: string, data: Buffer): object | undefined {
  if (!TOKEN_PROGRAMS.has(owner)) return undefined;
  const parsed = parseMint(data) ?? parseMultisig(data) ?? parseHolding(accounts, data);
  return parsed && { program: owner === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022', space: data.length, parsed };
}

function parseMint(data: Buffer): object | undefined {
  const info = mint(data);
  return info && { type: 'mint', info: { ...info, supply: info.supply.toString() } };
}

function parseMultisig(data: Buffer): object | undefined {
  if (data.length !== MULTISIG_BYTES) return undefined;
  const numValidSigners = Math.min(data[1]!, 11);
  const signers = Array.from({ length: numValidSigners }, (_, index) =>
    bs58.encode(data.subarray(3 + 32 * index, 35 + 32 * index)),
  );
  return {
    type: 'multisig',
    info: { numRequiredSigners: data[0], numValidSigners, isInitialized: data[2] === 1, signers },
  };
}

function parseHolding(accounts: Accounts, data: Buffer): object | undefined {
  const holding = tokenAccount(data);
  if (!holding) return undefined;
  const decimals = decimalsOf(accounts, holding.mint);
  const {
    mint: mintAddress,
    owner,
    state,
    amount,
    delegate,
    delegatedAmount,
    rentExemptReserve,
    closeAuthority,
  } = holding;
  return {
    type: 'account',
    info: {
      mint: mintAddress,
      owner,
      state,
      isNative: rentExemptReserve !== null,
      tokenAmount: uiAmount(amount, decimals),
      ...(rentExemptReserve !== null && { rentExemptReserve: uiAmount(rentExemptReserve, decimals) }),
      ...(delegate !== null && { delegate, delegatedAmount: uiAmount(delegatedAmount, decimals) }),
      ...(closeAuthority !== null && { closeAuthority }),
    },
  };
}
