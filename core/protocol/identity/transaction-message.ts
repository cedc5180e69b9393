const KEY = 32;
/** A transaction is at most 1232 bytes; with one signature its message is at most this long. */
const MAX_MESSAGE = 1232 - 1 - 64;
const VERSION_0 = 0x80;

/**
 * Whether the bytes have the form of a Solana transaction message (legacy or version 0) that `key` is asked to sign.
 * Keeps the signer of transactions from ever signing something else: nothing else the identity signs has its own key
 * among the first account keys of such a message.
 */
export function isTransactionFor(message: Uint8Array, key: Uint8Array): boolean {
  if (message.length > MAX_MESSAGE) return false;
  const start = message[0] === VERSION_0 ? 1 : 0;
  const signers = message[start];
  if (signers === undefined || signers === 0 || signers >= 0x80) return false;
  const count = message[start + 3];
  // A compact-u16 of one byte: more than 127 keys do not fit into a transaction.
  if (count === undefined || count >= 0x80 || signers > count) return false;
  const first = start + 4;
  if (message.length < first + count * KEY + KEY) return false;
  for (let index = 0; index < signers; index += 1) {
    if (key.every((byte, offset) => message[first + index * KEY + offset] === byte)) return true;
  }
  return false;
}
