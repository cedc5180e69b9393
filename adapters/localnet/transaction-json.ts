import bs58 from 'bs58';
import { MEMO_PROGRAMS } from './addresses.ts';
import type { Landed } from './journal-entry.ts';
import { decodeTransaction, type TransactionMessage } from './wire.ts';

export const TRANSACTION_ENCODINGS = ['json', 'jsonParsed', 'base64', 'base58'] as const;
export type TransactionEncoding = (typeof TRANSACTION_ENCODINGS)[number];

/** Of an instruction that no other one called. */
const TOP = 1;

interface Instruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: string;
  readonly stackHeight: number | null;
}

/** A landed transaction as `getTransaction` answers it. */
export function transactionJson(landed: Landed, encoding: TransactionEncoding): object {
  const bytes = Buffer.from(landed.bytes, 'base64');
  const { message, signatures } = decodeTransaction(bytes);
  const { slot, unix } = landed.stamp;
  const answer = { slot, blockTime: unix, version: message.version, meta: landed.meta };
  if (encoding === 'base64') return { ...answer, transaction: [landed.bytes, encoding] };
  if (encoding === 'base58') return { ...answer, transaction: [bs58.encode(bytes), encoding] };
  if (encoding === 'json') return { ...answer, transaction: { signatures, message: messageJson(message) } };
  const innerInstructions = landed.meta.innerInstructions.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((instruction) => parsedInstruction(instruction, landed.keys)),
  }));
  const transaction = { signatures, message: parsedMessage(message, landed.keys) };
  return { ...answer, transaction, meta: { ...landed.meta, innerInstructions } };
}

function messageJson(message: TransactionMessage): object {
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = message.header;
  return {
    header: { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts },
    accountKeys: message.staticAccountKeys.map((key) => key.toBase58()),
    recentBlockhash: message.recentBlockhash,
    instructions: instructionsOf(message),
    ...ofVersion(message),
  };
}

function parsedMessage(message: TransactionMessage, keys: readonly string[]): object {
  const own = message.staticAccountKeys.length;
  const lookedUpWritable = message.addressTableLookups.reduce((sum, table) => sum + table.writableIndexes.length, 0);
  return {
    accountKeys: keys.map((pubkey, index) => ({
      pubkey,
      signer: index < message.header.numRequiredSignatures,
      writable: index < own ? message.isAccountWritable(index) : index < own + lookedUpWritable,
      source: index < own ? 'transaction' : 'lookupTable',
    })),
    recentBlockhash: message.recentBlockhash,
    instructions: instructionsOf(message).map((instruction) => parsedInstruction(instruction, keys)),
    ...ofVersion(message),
  };
}

function instructionsOf(message: TransactionMessage): Instruction[] {
  return message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    programIdIndex,
    accounts: [...accountKeyIndexes],
    data: bs58.encode(data),
    stackHeight: TOP,
  }));
}

/** Memos are parsed; every other instruction takes the partially decoded form, which is legal for all of them. */
function parsedInstruction(instruction: Instruction, keys: readonly string[]): object {
  const { programIdIndex, accounts, data, stackHeight } = instruction;
  const programId = keys[programIdIndex] ?? '';
  if (MEMO_PROGRAMS.has(programId)) {
    const parsed = Buffer.from(bs58.decode(data)).toString('utf8');
    return { program: 'spl-memo', programId, parsed, stackHeight };
  }
  return { programId, accounts: accounts.map((index) => keys[index] ?? ''), data, stackHeight };
}

/** The fields that only messages of one version have. */
function ofVersion(message: TransactionMessage): object {
  if (message.config) return { transactionConfig: message.config };
  if (message.version === 'legacy') return {};
  const addressTableLookups = message.addressTableLookups.map(({ accountKey, writableIndexes, readonlyIndexes }) => ({
    accountKey: accountKey.toBase58(),
    writableIndexes: [...writableIndexes],
    readonlyIndexes: [...readonlyIndexes],
  }));
  return { addressTableLookups };
}
