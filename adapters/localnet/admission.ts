import type { Chain } from './chain.ts';
import type { Execution, Rehearsal } from './engine.ts';
import { errorSentence } from './engine-errors.ts';
import { durableNonce } from './nonce.ts';
import { RPC_CODES, RpcError } from './rpc-error.ts';
import type { DecodedTransaction } from './wire.ts';

const REFUSED: Omit<Rehearsal, 'error'> = {
  logs: [],
  unitsConsumed: 0,
  returnData: null,
  innerInstructions: [],
  after: new Map(),
};

/** Takes a transaction as a node does, and returns its signature. */
export function submit(chain: Chain, transaction: DecodedTransaction, skipPreflight: boolean): string {
  const signature = transaction.signatures[0]!;
  const known = chain.history.get(signature) !== undefined;
  if (!skipPreflight) {
    const rehearsal = known ? { ...REFUSED, error: 'AlreadyProcessed' } : simulate(chain, transaction, {});
    if (rehearsal.error === 'SignatureFailure') {
      throw new RpcError(RPC_CODES.signatureFailed, 'Transaction signature verification failure');
    }
    if (rehearsal.error) throw preflightFailure(rehearsal);
  } else if (known || !isCurrent(chain, transaction)) {
    return signature; // a node answers too, and the cluster drops it
  }
  chain.land(transaction);
  return signature;
}

export function simulate(
  chain: Chain,
  transaction: DecodedTransaction,
  { verifySignatures = true, anyBlockhash = false },
): Rehearsal {
  chain.enter();
  if (!anyBlockhash && !isCurrent(chain, transaction)) return { ...REFUSED, error: 'BlockhashNotFound' };
  return chain.engine.rehearse(transaction.bytes, verifySignatures);
}

/** Whether its blockhash is among the last 150, or is the value of the nonce it advances. */
function isCurrent(chain: Chain, transaction: DecodedTransaction): boolean {
  const { message } = transaction;
  if (chain.slots.isValid(message.recentBlockhash)) return true;
  const { keys } = chain.accountsOf(transaction);
  return durableNonce(message, keys, (address) => chain.engine.account(address)) !== undefined;
}

function preflightFailure({ error, logs, unitsConsumed, returnData }: Execution): RpcError {
  const data = {
    accounts: null,
    err: error,
    innerInstructions: null,
    logs,
    replacementBlockhash: null,
    returnData,
    unitsConsumed,
  };
  return new RpcError(RPC_CODES.preflightFailed, `Transaction simulation failed: ${errorSentence(error!)}`, data);
}
