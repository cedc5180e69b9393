import { accountFormat, accountJson } from '../account-json.ts';
import { simulate, submit } from '../admission.ts';
import { address, base58, base64, type Params } from '../params.ts';
import type { RpcMethods } from '../rpc.ts';
import { type DecodedTransaction, decodeTransaction } from '../wire.ts';

const MAX_SIMULATED_ACCOUNTS = 100;
const ROLLED_BACK_AFTER = 8;

export const transactionMethods: RpcMethods = {
  sendTransaction(params, { chain, view, rule, read }) {
    const options = params.options(1);
    const skipPreflight = options.flag('skipPreflight');
    const reading = read(options, 'preflightCommitment');
    if (rule?.fault !== 'rolled-back') return submit(chain, readTransaction(params), { skipPreflight, reading });
    const land = ({ signatures }: DecodedTransaction) => view.pretend(signatures[0]!, rule.slots ?? ROLLED_BACK_AFTER);
    return submit(chain, readTransaction(params), { skipPreflight, reading, land });
  },

  simulateTransaction(params, { chain, read }) {
    const { slots } = chain;
    const options = params.options(1);
    const reading = read(options);
    const anyBlockhash = options.flag('replaceRecentBlockhash');
    const rehearsal = simulate(chain, readTransaction(params), {
      verifySignatures: options.flag('sigVerify'),
      anyBlockhash,
      reading,
    });
    const shown = options.has('accounts') ? options.options('accounts') : undefined;
    const accounts = shown?.list('addresses', MAX_SIMULATED_ACCOUNTS, address).map((of) => {
      const state = rehearsal.after.get(of) ?? reading.account(of);
      return state && accountJson(reading, state, accountFormat(shown));
    });
    return reading.context({
      err: rehearsal.error,
      logs: reading.logs(rehearsal.logs),
      unitsConsumed: rehearsal.unitsConsumed,
      returnData: rehearsal.returnData,
      innerInstructions: options.flag('innerInstructions') ? rehearsal.innerInstructions : null,
      accounts: accounts ?? null,
      ...(anyBlockhash && { replacementBlockhash: slots.latestBlockhash(reading.stamp) }),
    });
  },
};

function readTransaction(params: Params): DecodedTransaction {
  const encoding = params.options(1).oneOf('encoding', ['base58', 'base64'] as const, 'base58');
  return decodeTransaction((encoding === 'base64' ? base64 : base58)(params.value(0), 'params[0]'));
}
