import type { SignRequest } from './http-caller.ts';

/** Signs bytes with the agent's Ed25519 key, wherever that is kept. */
export type SignBytes = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

const HEADER = '{"alg":"EdDSA","typ":"agent-mesh+jwt"}';
const LIFETIME = 300;
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** The beginning of an Ed25519 key in PKCS 8 (RFC 8410), before its 32 bytes. */
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A key of WebCrypto with its public part. */
export interface KeyPair {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** Makes the tokens of an agent: each is for one request and holds five minutes. */
export function agentSigner(agentId: string, sign: SignBytes, now: () => number = Date.now): SignRequest {
  return async ({ audience: aud, method: htm, target: htu, body }) => {
    const iat = Math.floor(now() / 1_000);
    const bh = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>)));
    const jti = base64url(crypto.getRandomValues(new Uint8Array(16)));
    const claims = { iss: agentId, aud, iat, exp: iat + LIFETIME, jti, htm, htu, bh };
    const text = `${base64url(bytesOf(HEADER))}.${base64url(bytesOf(JSON.stringify(claims)))}`;
    return `${text}.${base64url(await sign(bytesOf(text)))}`;
  };
}

/**
 * An agent's key, held by WebCrypto: from the 32 bytes of an `identity.key`, or a pair that `crypto.subtle.generateKey`
 * made, whose private part need not be extractable.
 *
 *     const { agentId, sign } = await agentKey(seed);
 *     const aggregator = new AggregatorClient({ url, sign });
 */
export async function agentKey(
  key: Uint8Array | KeyPair,
): Promise<{ readonly agentId: string; readonly sign: SignRequest }> {
  const { privateKey, publicKey } = 'privateKey' in key ? key : await pairOf(key);
  const agentId = base58(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)));
  const signBytes = async (bytes: Uint8Array) =>
    new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, bytes as Uint8Array<ArrayBuffer>));
  return { agentId, sign: agentSigner(agentId, signBytes) };
}

async function pairOf(seed: Uint8Array): Promise<KeyPair> {
  if (seed.length !== 32) throw new TypeError('the key of an agent has 32 bytes');
  const { subtle } = crypto;
  const pkcs8 = new Uint8Array([...PKCS8, ...seed]);
  const readable = await subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']);
  const { x } = await subtle.exportKey('jwk', readable);
  const publicKey = await subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x: x! }, 'Ed25519', true, ['verify']);
  return { privateKey: await subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']), publicKey };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function base58(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; value > 0n; value /= 58n) text = BASE58[Number(value % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}
