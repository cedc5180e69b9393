import { accountFormat, accountJson } from '../account-json.ts';
import { simulate, submit } from '../admission.ts';
import { address, base58, base64, type Params } from '../params.ts';
import { type RpcMethods, withContext } from '../rpc.ts';
import { type DecodedTransaction, decodeTransaction } from '../wire.ts';

const MAX_SIMULATED_ACCOUNTS = 100;

export const transactionMethods: RpcMethods = {
  sendTransaction: (params, { chain }) =>
    submit(chain, readTransaction(params), params.options(1).flag('skipPreflight')),

  simulateTransaction(params, { chain }) {
    const { engine, slots } = chain;
    const options = params.options(1);
    const anyBlockhash = options.flag('replaceRecentBlockhash');
    const rehearsal = simulate(chain, readTransaction(params), {
      verifySignatures: options.flag('sigVerify'),
      anyBlockhash,
    });
    const shown = options.has('accounts') ? options.options('accounts') : undefined;
    const accounts = shown?.list('addresses', MAX_SIMULATED_ACCOUNTS, address).map((of) => {
      const state = rehearsal.after.get(of) ?? engine.account(of);
      return state && accountJson(engine, state, accountFormat(shown));
    });
    return withContext(chain, {
      err: rehearsal.error,
      logs: rehearsal.logs,
      unitsConsumed: rehearsal.unitsConsumed,
      returnData: rehearsal.returnData,
      innerInstructions: options.flag('innerInstructions') ? rehearsal.innerInstructions : null,
      accounts: accounts ?? null,
      ...(anyBlockhash && { replacementBlockhash: slots.latestBlockhash() }),
    });
  },
};

function readTransaction(params: Params): DecodedTransaction {
  const encoding = params.options(1).oneOf('encoding', ['base58', 'base64'] as const, 'base58');
  return decodeTransaction((encoding === 'base64' ? base64 : base58)(params.value(0), 'params[0]'));
}
