import bs58 from 'bs58';
import { type AccountFilter, bytesAt } from '../account-filter.ts';
import { accountFormat, accountJson } from '../account-json.ts';
import { TOKEN_PROGRAMS } from '../addresses.ts';
import { decimalsOf } from '../balances.ts';
import type { AccountState, Engine } from '../engine.ts';
import type { Params } from '../params.ts';
import { type RpcContext, type RpcMethods, withContext } from '../rpc.ts';
import { invalidParams } from '../rpc-error.ts';
import { MULTISIG_BYTES, mint, TOKEN_ACCOUNT_BYTES, tokenAccount, uiAmount } from '../token-accounts.ts';

const MINT_AT = 0;
const OWNER_AT = 32;
const DELEGATE_AT = 72;

export const tokenMethods: RpcMethods = {
  getTokenAccountBalance(params, { chain }) {
    const holding = tokenAccount(tokenData(chain.engine, params.address(0)));
    if (!holding) throw invalidParams('not a token account');
    return withContext(chain, uiAmount(holding.amount, decimalsOf(chain.engine, holding.mint)));
  },

  getTokenSupply(params, { chain }) {
    const info = mint(tokenData(chain.engine, params.address(0)));
    if (!info) throw invalidParams('not a token mint');
    return withContext(chain, uiAmount(info.supply, info.decimals));
  },

  getTokenAccountsByOwner: (params, context) =>
    tokenAccounts(params, context, bytesAt(OWNER_AT, bs58.decode(params.address(0)))),

  getTokenAccountsByDelegate: (params, context) =>
    tokenAccounts(params, context, bytesAt(DELEGATE_AT, Buffer.from([1, 0, 0, 0, ...bs58.decode(params.address(0))]))),
};

function tokenAccounts(params: Params, { chain }: RpcContext, held: AccountFilter): object {
  const { engine } = chain;
  const which = params.options(1);
  const format = accountFormat(params.options(2));
  const byMint = which.has('mint') ? which.address('mint') : undefined;
  const program = byMint === undefined ? which.address('programId') : engine.account(byMint)?.owner;
  if (program === undefined || !TOKEN_PROGRAMS.has(program)) throw invalidParams('not a token mint or program');
  const ofMint = byMint === undefined ? () => true : bytesAt(MINT_AT, bs58.decode(byMint));
  const found = engine
    .programAccounts(program)
    .filter(([, state]) => isHolding(state) && held(state) && ofMint(state))
    .map(([pubkey, state]) => ({ pubkey, account: accountJson(engine, state, format) }));
  return withContext(chain, found);
}

function isHolding({ data }: AccountState): boolean {
  return data.length >= TOKEN_ACCOUNT_BYTES && data.length !== MULTISIG_BYTES;
}

function tokenData(engine: Engine, address: string): Buffer {
  const state = engine.account(address);
  if (!state) throw invalidParams('could not find account');
  if (!TOKEN_PROGRAMS.has(state.owner)) throw invalidParams('not a token account');
  return state.data;
}
