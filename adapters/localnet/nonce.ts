import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { SYSTEM_PROGRAM } from './addresses.ts';
import type { AccountState, Engine } from './engine.ts';
import type { TransactionMessage } from './wire.ts';

const ADVANCE_NONCE = 4;
const NONCE_BYTES = 80;
const VALUE_AT = 40;

/** The nonce account of a durable-nonce transaction whose nonce is current; undefined for every other transaction. */
export function durableNonce(
  message: TransactionMessage,
  keys: readonly string[],
  account: (address: string) => AccountState | null,
): string | undefined {
  const first = message.compiledInstructions[0];
  if (!first || keys[first.programIdIndex] !== SYSTEM_PROGRAM || first.data.length < 4) return undefined;
  if (Buffer.from(first.data).readUInt32LE(0) !== ADVANCE_NONCE) return undefined;
  const address = keys[first.accountKeyIndexes[0] ?? -1];
  const state = address ? account(address) : null;
  if (!address || state?.owner !== SYSTEM_PROGRAM || state.data.length !== NONCE_BYTES) return undefined;
  const value = bs58.encode(state.data.subarray(VALUE_AT, VALUE_AT + 32));
  return value === message.recentBlockhash ? address : undefined;
}

/** A cluster moves the nonce on even when the transaction fails, so that it cannot be charged twice; the engine does not. */
export function advanceNonce(engine: Engine, address: string): void {
  const state = engine.account(address);
  if (!state) return;
  const data = Buffer.from(state.data);
  data.set(createHash('sha256').update('DURABLE_NONCE').update(bs58.decode(engine.blockhash())).digest(), VALUE_AT);
  engine.setAccount(address, { ...state, data });
}
