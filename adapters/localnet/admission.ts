import type { Chain } from './chain.ts';
import type { Execution, Rehearsal } from './engine.ts';
import { errorSentence } from './engine-errors.ts';
import { durableNonce } from './nonce.ts';
import type { Reading } from './reading.ts';
import { RPC_CODES, RpcError } from './rpc-error.ts';
import type { DecodedTransaction } from './wire.ts';

const REFUSED: Omit<Rehearsal, 'error'> = {
  logs: [],
  unitsConsumed: 0,
  returnData: null,
  innerInstructions: [],
  after: new Map(),
};

export interface Submission {
  readonly skipPreflight?: boolean;
  /** The state known to the node that takes it; the newest unless given. */
  readonly reading?: Reading | undefined;
  /** In place of the cluster's own. */
  readonly land?: (transaction: DecodedTransaction) => void;
}

/** Takes a transaction as a node does, and returns its signature. */
export function submit(chain: Chain, transaction: DecodedTransaction, submission: Submission = {}): string {
  const { skipPreflight = false, reading, land = (sent) => chain.land(sent) } = submission;
  const signature = transaction.signatures[0]!;
  const known = chain.history.get(signature) !== undefined;
  if (!skipPreflight) {
    const rehearsal = known ? { ...REFUSED, error: 'AlreadyProcessed' } : simulate(chain, transaction, { reading });
    if (rehearsal.error === 'SignatureFailure') {
      throw new RpcError(RPC_CODES.signatureFailed, 'Transaction signature verification failure');
    }
    if (rehearsal.error) throw preflightFailure(rehearsal, reading);
  }
  // A node answers too, and the cluster drops it.
  if (!known && isCurrent(chain, transaction)) land(transaction);
  return signature;
}

interface Simulation {
  readonly verifySignatures?: boolean;
  readonly anyBlockhash?: boolean;
  /** The state whose blockhashes count; the accounts are the newest all the same. */
  readonly reading?: Reading | undefined;
}

export function simulate(
  chain: Chain,
  transaction: DecodedTransaction,
  { verifySignatures = true, anyBlockhash = false, reading }: Simulation,
): Rehearsal {
  chain.enter();
  if (!anyBlockhash && !isCurrent(chain, transaction, reading)) return { ...REFUSED, error: 'BlockhashNotFound' };
  return chain.engine.rehearse(transaction.bytes, verifySignatures);
}

/** Whether its blockhash is among the last 150, or is the value of the nonce it advances. */
function isCurrent(chain: Chain, transaction: DecodedTransaction, reading?: Reading): boolean {
  const { message } = transaction;
  if (chain.slots.isValid(message.recentBlockhash, reading?.stamp)) return true;
  const { keys } = chain.accountsOf(transaction);
  return durableNonce(message, keys, (address) => (reading ?? chain.engine).account(address)) !== undefined;
}

function preflightFailure({ error, logs, unitsConsumed, returnData }: Execution, reading?: Reading): RpcError {
  const data = {
    accounts: null,
    err: error,
    innerInstructions: null,
    logs: reading?.logs(logs) ?? logs,
    replacementBlockhash: null,
    returnData,
    unitsConsumed,
  };
  return new RpcError(RPC_CODES.preflightFailed, `Transaction simulation failed: ${errorSentence(error!)}`, data);
}
