import {
  AddressLookupTableAccount,
  type MessageAccountKeys,
  type PublicKey,
  VersionedTransaction,
} from '@solana/web3.js';
import { invalidField } from '../../../core/contracts/errors.ts';
import { readAccounts } from '../holdings.ts';
import type { JsonRpc } from '../json-rpc.ts';

const LOOKUP_TABLES = 'AddressLookupTab1e1111111111111111111111111';
/** The protocol's own limit of a packet. */
const MAX_BYTES = 1_232;
/** The protocol's limit of accounts that one transaction may lock. */
const MAX_ACCOUNTS = 64;

export interface Decoded {
  readonly transaction: VersionedTransaction;
  /** Those of the message itself, then those that its lookup tables name. */
  readonly keys: readonly PublicKey[];
  readonly writable: readonly PublicKey[];
}

/** Bytes that are exactly one transaction; what comes out of them again is what went in. */
export function parseForeign(bytes: Uint8Array): VersionedTransaction {
  if (bytes.length > MAX_BYTES) throw invalidField('/transaction', `has more than ${MAX_BYTES} bytes`);
  let transaction: VersionedTransaction;
  try {
    transaction = VersionedTransaction.deserialize(bytes);
  } catch {
    throw invalidField('/transaction', 'is no Solana transaction');
  }
  const { version, header, staticAccountKeys } = transaction.message;
  if (version !== 'legacy' && version !== 0) throw invalidField('/transaction', `has version ${String(version)}`);
  if (header.numRequiredSignatures < 1 || transaction.signatures.length !== header.numRequiredSignatures)
    throw invalidField('/transaction', 'has not as many places for signatures as it needs');
  if (header.numRequiredSignatures > staticAccountKeys.length)
    throw invalidField('/transaction', 'names fewer accounts than signers');
  if (!Buffer.from(transaction.serialize()).equals(bytes))
    throw invalidField('/transaction', 'is not written as the ledger writes transactions');
  return transaction;
}

/** With the accounts of its lookup tables, which can be added to and never changed. */
export async function decodeForeign(rpc: JsonRpc, bytes: Uint8Array): Promise<Decoded> {
  const transaction = parseForeign(bytes);
  const { message } = transaction;
  const tables = await lookupTables(rpc, transaction);
  let accounts: MessageAccountKeys;
  try {
    accounts = message.getAccountKeys({ addressLookupTableAccounts: tables });
  } catch {
    throw invalidField('/transaction', 'names an account that its lookup table does not have');
  }
  const keys = accounts.keySegments().flat();
  if (keys.length > MAX_ACCOUNTS) throw invalidField('/transaction', `names more than ${MAX_ACCOUNTS} accounts`);
  for (const { programIdIndex, accountKeyIndexes } of message.compiledInstructions)
    if ([programIdIndex, ...accountKeyIndexes].some((index) => index >= keys.length))
      throw invalidField('/transaction', 'has an instruction with an account that it does not name');
  return { transaction, keys, writable: keys.filter((_, index) => message.isAccountWritable(index)) };
}

async function lookupTables(rpc: JsonRpc, { message }: VersionedTransaction): Promise<AddressLookupTableAccount[]> {
  const wanted = message.addressTableLookups.map(({ accountKey }) => accountKey);
  if (wanted.length === 0) return [];
  const found = await readAccounts(rpc, wanted, 'finalized');
  return wanted.map((key, index) => {
    const account = found[index];
    if (account?.owner !== LOOKUP_TABLES)
      throw invalidField('/transaction', `names ${key.toBase58()}, which is no lookup table`);
    return new AddressLookupTableAccount({ key, state: AddressLookupTableAccount.deserialize(account.data) });
  });
}
