import { generateKeyPairSync, sign } from 'node:crypto';
import bs58 from 'bs58';

/** A wallet that signs text, as wallets of people do. */
export interface Wallet {
  readonly key: Uint8Array;
  readonly address: string;
  /** Base64. */
  sign(text: string): string;
}

export function newWallet(): Wallet {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  return {
    key,
    address: bs58.encode(key),
    sign: (text) => sign(null, Buffer.from(text, 'utf8'), privateKey).toString('base64'),
  };
}
