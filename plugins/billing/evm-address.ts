import { createECDH } from 'node:crypto';
import { keccak } from 'hash-wasm';

const UNCOMPRESSED = 1;

/** The address that a key of secp256k1 has on every EVM chain, in lower case. */
export async function evmAddressOf(privateKey: Uint8Array): Promise<string> {
  const key = createECDH('secp256k1');
  key.setPrivateKey(privateKey);
  return `0x${(await keccak(key.getPublicKey().subarray(UNCOMPRESSED), 256)).slice(-40)}`;
}

/** Whether the case of its letters is its checksum (EIP-55); one that is all of one case has none. */
export async function fitsChecksum(address: string): Promise<boolean> {
  const digits = address.slice(2);
  const plain = digits.toLowerCase();
  if (digits === plain || digits === digits.toUpperCase()) return true;
  const hash = await keccak(plain, 256);
  return (
    digits === [...plain].map((one, at) => (Number.parseInt(hash[at]!, 16) > 7 ? one.toUpperCase() : one)).join('')
  );
}
