import { type MessageHeader, type PublicKey, VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import {
  type CompiledInstruction,
  MAX_V1_BYTES,
  MessageV1,
  signaturesBehind,
  type TransactionConfig,
  VERSION_1,
} from './message-v1.ts';
import { invalidParams } from './rpc-error.ts';

/** The size of one network packet: the largest transaction before version 1. */
const MAX_PACKET_BYTES = 1232;

/** The fields that messages of every version have: those of web3.js, and `MessageV1`. */
export interface TransactionMessage {
  readonly version: 'legacy' | 0 | 1;
  readonly header: MessageHeader;
  readonly recentBlockhash: string;
  readonly staticAccountKeys: readonly PublicKey[];
  readonly compiledInstructions: readonly CompiledInstruction[];
  readonly addressTableLookups: readonly {
    readonly accountKey: PublicKey;
    readonly writableIndexes: readonly number[];
    readonly readonlyIndexes: readonly number[];
  }[];
  /** Only since version 1. */
  readonly config?: TransactionConfig;
  isAccountWritable(index: number): boolean;
}

export interface DecodedTransaction {
  readonly bytes: Buffer;
  readonly message: TransactionMessage;
  readonly signatures: readonly string[];
}

/**
 * Accepts exactly the byte strings that clients of this ledger write themselves. Anything else is refused here, because
 * the engine aborts the process on malformed bytes.
 */
export function decodeTransaction(bytes: Buffer): DecodedTransaction {
  const max = bytes[0] === VERSION_1 ? MAX_V1_BYTES : MAX_PACKET_BYTES;
  if (bytes.length > max) throw invalidParams(`transaction too large: ${bytes.length} bytes (max: ${max})`);
  const { message, signatures } = understood('transaction', () => {
    if (bytes[0] === VERSION_1) {
      const message = new MessageV1(bytes);
      return { message, signatures: signaturesBehind(bytes, message) };
    }
    const transaction = VersionedTransaction.deserialize(bytes);
    if (!bytes.equals(transaction.serialize())) throw new Error('not its canonical form');
    return transaction;
  });
  const problem = sanitize(message, signatures.length);
  if (problem) throw invalidParams(`failed to sanitize the transaction: ${problem}`);
  return { bytes, message, signatures: signatures.map((signature) => bs58.encode(signature)) };
}

/** A message without signatures, of any version. */
export function decodeMessage(bytes: Buffer): TransactionMessage {
  if (bytes.length > MAX_V1_BYTES) throw invalidParams(`message too large: ${bytes.length} bytes`);
  return understood('message', () => {
    if (bytes[0] !== VERSION_1) return VersionedMessage.deserialize(bytes);
    const message = new MessageV1(bytes);
    if (message.length !== bytes.length) throw new Error('something follows it');
    return message;
  });
}

function understood<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw invalidParams(`failed to deserialize the ${what}: ${(error as Error).message}`);
  }
}

function sanitize(message: TransactionMessage, signatures: number): string | undefined {
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
