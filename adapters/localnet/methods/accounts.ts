import { accountFilters } from '../account-filter.ts';
import { accountFormat, accountJson } from '../account-json.ts';
import { address } from '../params.ts';
import type { RpcMethods } from '../rpc.ts';

const MAX_ACCOUNTS = 100;

export const accountMethods: RpcMethods = {
  getBalance(params, { read }) {
    const reading = read(params.options(1));
    return reading.context(Number(reading.account(params.address(0))?.lamports ?? 0n));
  },

  getAccountInfo(params, { read }) {
    const options = params.options(1);
    const format = accountFormat(options);
    const reading = read(options);
    const state = reading.account(params.address(0));
    return reading.context(state && accountJson(reading, state, format));
  },

  getMultipleAccounts(params, { read }) {
    const options = params.options(1);
    const format = accountFormat(options);
    const reading = read(options);
    const states = params.list(0, MAX_ACCOUNTS, address).map((of) => reading.account(of));
    return reading.context(states.map((state) => state && accountJson(reading, state, format)));
  },

  getProgramAccounts(params, { read }) {
    const options = params.options(1);
    const format = accountFormat(options);
    const filters = accountFilters(options);
    const reading = read(options);
    const found = reading
      .programAccounts(params.address(0))
      .filter(([, state]) => filters.every((filter) => filter(state)))
      .map(([pubkey, state]) => ({ pubkey, account: accountJson(reading, state, format) }));
    return options.flag('withContext') ? reading.context(found) : found;
  },
};
