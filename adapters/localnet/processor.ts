import type { TransactionAccounts } from './accounts-of.ts';
import { balancesOf } from './balances.ts';
import type { AccountState, Engine } from './engine.ts';
import { feeOf } from './fee.ts';
import type { TransactionMeta } from './journal-entry.ts';
import { advanceNonce, durableNonce } from './nonce.ts';
import type { DecodedTransaction } from './wire.ts';

export interface Processed {
  readonly meta: TransactionMeta;
  /** The changed accounts, as they were before. */
  readonly before: readonly (readonly [address: string, state: AccountState | null])[];
}

/** Runs a transaction for good. Undefined when it was refused before a fee was taken: then nothing has changed. */
export function processTransaction(
  engine: Engine,
  transaction: DecodedTransaction,
  accounts: TransactionAccounts,
): Processed | undefined {
  const { message, bytes } = transaction;
  const { keys, loaded } = accounts;
  const nonce = durableNonce(message, keys, (address) => engine.account(address));
  const before = balancesOf(engine, keys);
  const { error, ...execution } = engine.execute(bytes);
  const after = balancesOf(engine, keys);
  if (error && after.lamports[0] === before.lamports[0]) return undefined;
  if (error && nonce) advanceNonce(engine, nonce);
  const meta = {
    err: error,
    status: error ? { Err: error } : { Ok: null },
    fee: feeOf(message, keys),
    preBalances: before.lamports,
    postBalances: after.lamports,
    preTokenBalances: before.tokens,
    postTokenBalances: after.tokens,
    logMessages: execution.logs,
    innerInstructions: execution.innerInstructions,
    computeUnitsConsumed: execution.unitsConsumed,
    loadedAddresses: loaded,
    rewards: [],
    ...(execution.returnData && { returnData: execution.returnData }),
  };
  const changed = keys
    .map((address, index) => [address, before.states[index]!, after.states[index]!] as const)
    .filter(([address, was, is]) => (error && address === nonce) || !isSame(was, is))
    .map(([address, was]) => [address, was] as const);
  return { meta, before: changed };
}

function isSame(one: AccountState | null, other: AccountState | null): boolean {
  if (!one || !other) return one === other;
  return one.lamports === other.lamports && one.owner === other.owner && one.data.equals(other.data);
}
