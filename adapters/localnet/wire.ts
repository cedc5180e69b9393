import { type VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { invalidParams } from './rpc-error.ts';

/** What fits one network packet: the largest transaction of any cluster. */
export const MAX_TRANSACTION_BYTES = 1232;

export interface DecodedTransaction {
  readonly bytes: Buffer;
  readonly message: VersionedMessage;
  readonly signatures: readonly string[];
}

/**
 * Accepts exactly the byte strings that web3.js writes itself. Anything else is refused here, because the engine
 * aborts the process on malformed bytes.
 */
export function decodeTransaction(bytes: Buffer): DecodedTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    throw invalidParams(`transaction too large: ${bytes.length} bytes (max: ${MAX_TRANSACTION_BYTES})`);
  }
  let transaction: VersionedTransaction;
  let again: Uint8Array;
  try {
    transaction = VersionedTransaction.deserialize(bytes);
    again = transaction.serialize();
  } catch (error) {
    throw invalidParams(`failed to deserialize the transaction: ${(error as Error).message}`);
  }
  if (!bytes.equals(again)) throw invalidParams('failed to deserialize the transaction: not its canonical form');
  const { message, signatures } = transaction;
  const problem = sanitize(message, signatures.length);
  if (problem) throw invalidParams(`failed to sanitize the transaction: ${problem}`);
  return { bytes, message, signatures: signatures.map((signature) => bs58.encode(signature)) };
}

function sanitize(message: VersionedMessage, signatures: number): string | undefined {
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = message.header;
  const own = message.staticAccountKeys.length;
  const looked = message.addressTableLookups.reduce(
    (sum, table) => sum + table.writableIndexes.length + table.readonlyIndexes.length,
    0,
  );
  if (signatures === 0 || signatures !== numRequiredSignatures) return 'the number of signatures does not fit';
  if (numReadonlySignedAccounts >= numRequiredSignatures) return 'the fee payer must be writable';
  if (numRequiredSignatures + numReadonlyUnsignedAccounts > own)
    return 'the header counts more accounts than there are';
  if (own + looked > 256) return 'too many accounts';
  if (new Set(message.staticAccountKeys.map(String)).size !== own) return 'an account is listed twice';
  for (const table of message.addressTableLookups) {
    if (table.writableIndexes.length + table.readonlyIndexes.length === 0) return 'a lookup table is not used';
  }
  for (const instruction of message.compiledInstructions) {
    const program = instruction.programIdIndex;
    if (program === 0 || program >= own) return 'an instruction names no program';
    if (instruction.accountKeyIndexes.some((index) => index >= own + looked)) return 'an instruction names no account';
  }
  return undefined;
}
