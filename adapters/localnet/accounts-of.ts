import { AddressLookupTableAccount } from '@solana/web3.js';
import { LOOKUP_TABLE_PROGRAM } from './addresses.ts';
import type { AccountState } from './engine.ts';
import type { TransactionMessage } from './wire.ts';

export interface LoadedAddresses {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

export interface TransactionAccounts {
  /** Every account in the order instructions count them: own keys, then those looked up. Empty text where a lookup fails. */
  readonly keys: readonly string[];
  readonly loaded: LoadedAddresses;
}

const LOOKUP_TABLE_HEADER = 56;

export function accountsOf(
  message: TransactionMessage,
  account: (address: string) => AccountState | null,
): TransactionAccounts {
  const writable: string[] = [];
  const readonly: string[] = [];
  for (const lookup of message.addressTableLookups) {
    const addresses = tableAddresses(account(lookup.accountKey.toBase58()));
    for (const index of lookup.writableIndexes) writable.push(addresses[index] ?? '');
    for (const index of lookup.readonlyIndexes) readonly.push(addresses[index] ?? '');
  }
  const own = message.staticAccountKeys.map((key) => key.toBase58());
  return { keys: [...own, ...writable, ...readonly], loaded: { writable, readonly } };
}

function tableAddresses(state: AccountState | null): readonly string[] {
  if (state?.owner !== LOOKUP_TABLE_PROGRAM || state.data.length < LOOKUP_TABLE_HEADER) return [];
  if ((state.data.length - LOOKUP_TABLE_HEADER) % 32 !== 0) return [];
  return AddressLookupTableAccount.deserialize(state.data).addresses.map((address) => address.toBase58());
}
