import { createECDH } from 'node:crypto';
import { keccak } from 'hash-wasm';

const UNCOMPRESSED = 1;

/** The address that a key of secp256k1 has on every EVM chain, in lower case. */
export async function evmAddressOf(privateKey: Uint8Array): Promise<string> {
  const key = createECDH('secp256k1');
  key.setPrivateKey(privateKey);
  return `0x${(await keccak(key.getPublicKey().subarray(UNCOMPRESSED), 256)).slice(-40)}`;
}
