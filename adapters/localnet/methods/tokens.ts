import bs58 from 'bs58';
import { type AccountFilter, bytesAt } from '../account-filter.ts';
import { accountFormat, accountJson } from '../account-json.ts';
import { TOKEN_PROGRAMS } from '../addresses.ts';
import { decimalsOf } from '../balances.ts';
import type { AccountState, Accounts } from '../engine.ts';
import type { Params } from '../params.ts';
import type { RpcContext, RpcMethods } from '../rpc.ts';
import { invalidParams } from '../rpc-error.ts';
import { MULTISIG_BYTES, mint, TOKEN_ACCOUNT_BYTES, tokenAccount, uiAmount } from '../token-accounts.ts';

const MINT_AT = 0;
const OWNER_AT = 32;
const DELEGATE_AT = 72;

export const tokenMethods: RpcMethods = {
  getTokenAccountBalance(params, { read }) {
    const reading = read(params.options(1));
    const holding = tokenAccount(tokenData(reading, params.address(0)));
    if (!holding) throw invalidParams('not a token account');
    return reading.context(uiAmount(holding.amount, decimalsOf(reading, holding.mint)));
  },

  getTokenSupply(params, { read }) {
    const reading = read(params.options(1));
    const info = mint(tokenData(reading, params.address(0)));
    if (!info) throw invalidParams('not a token mint');
    return reading.context(uiAmount(info.supply, info.decimals));
  },

  getTokenAccountsByOwner: (params, context) =>
    tokenAccounts(params, context, bytesAt(OWNER_AT, bs58.decode(params.address(0)))),

  getTokenAccountsByDelegate: (params, context) =>
    tokenAccounts(params, context, bytesAt(DELEGATE_AT, Buffer.from([1, 0, 0, 0, ...bs58.decode(params.address(0))]))),
};

function tokenAccounts(params: Params, { read }: RpcContext, held: AccountFilter): object {
  const which = params.options(1);
  const options = params.options(2);
  const format = accountFormat(options);
  const reading = read(options);
  const byMint = which.has('mint') ? which.address('mint') : undefined;
  const program = byMint === undefined ? which.address('programId') : reading.account(byMint)?.owner;
  if (program === undefined || !TOKEN_PROGRAMS.has(program)) throw invalidParams('not a token mint or program');
  const ofMint = byMint === undefined ? () => true : bytesAt(MINT_AT, bs58.decode(byMint));
  const found = reading
    .programAccounts(program)
    .filter(([, state]) => isHolding(state) && held(state) && ofMint(state))
    .map(([pubkey, state]) => ({ pubkey, account: accountJson(reading, state, format) }));
  return reading.context(found);
}

function isHolding({ data }: AccountState): boolean {
  return data.length >= TOKEN_ACCOUNT_BYTES && data.length !== MULTISIG_BYTES;
}

function tokenData(accounts: Accounts, address: string): Buffer {
  const state = accounts.account(address);
  if (!state) throw invalidParams('could not find account');
  if (!TOKEN_PROGRAMS.has(state.owner)) throw invalidParams('not a token account');
  return state.data;
}
