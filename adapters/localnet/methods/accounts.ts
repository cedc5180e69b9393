import { programAccounts } from '../account-filter.ts';
import { accountFormat, accountJson } from '../account-json.ts';
import { address } from '../params.ts';
import { type RpcMethods, withContext } from '../rpc.ts';

const MAX_ACCOUNTS = 100;

export const accountMethods: RpcMethods = {
  getBalance: (params, { chain }) => withContext(chain, Number(chain.engine.lamports(params.address(0)))),

  getAccountInfo(params, { chain }) {
    chain.enter(); // the clock is an account too
    const format = accountFormat(params.options(1));
    const state = chain.engine.account(params.address(0));
    return withContext(chain, state && accountJson(chain.engine, state, format));
  },

  getMultipleAccounts(params, { chain }) {
    chain.enter();
    const format = accountFormat(params.options(1));
    const states = params.list(0, MAX_ACCOUNTS, address).map((of) => chain.engine.account(of));
    return withContext(
      chain,
      states.map((state) => state && accountJson(chain.engine, state, format)),
    );
  },

  getProgramAccounts(params, { chain }) {
    const options = params.options(1);
    const format = accountFormat(options);
    const found = programAccounts(chain.engine, params.address(0), options).map(([pubkey, state]) => ({
      pubkey,
      account: accountJson(chain.engine, state, format),
    }));
    return options.flag('withContext') ? withContext(chain, found) : found;
  },
};
