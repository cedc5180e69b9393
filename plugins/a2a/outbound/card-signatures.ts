import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { canonicalJson } from '../cards/canonical.ts';

/** A key of a JSON Web Key Set. */
export type NamedKey = JsonWebKey & { readonly kid?: string };

/** A signature of a card that can be checked: its parts, and where its header says that the key is. */
export interface ReadSignature {
  readonly protected: string;
  readonly signature: Uint8Array;
  readonly alg: keyof typeof HASHES;
  readonly kid: string;
  readonly jku: string;
}

/** The algorithms of JWS that Node verifies without more, by the digest that each asks for. */
const HASHES = { EdDSA: null, ES256: 'sha256', RS256: 'sha256' } as const;
const KINDS = { EdDSA: 'OKP', ES256: 'EC', RS256: 'RSA' } as const;
const MOST_SIGNATURES = 8;

/** The signatures of a card whose algorithm is known and whose header names key and key set. */
export function readSignatures(signatures: unknown): ReadSignature[] {
  if (!Array.isArray(signatures)) return [];
  return signatures.slice(0, MOST_SIGNATURES).flatMap((one) => {
    if (typeof one?.protected !== 'string' || typeof one.signature !== 'string') return [];
    const header = jsonIn(one.protected);
    const { alg, kid, jku } = (header ?? {}) as Record<string, unknown>;
    if (typeof alg !== 'string' || !Object.hasOwn(HASHES, alg)) return [];
    if (typeof kid !== 'string' || typeof jku !== 'string' || !URL.canParse(jku)) return [];
    const signature = Buffer.from(one.signature, 'base64url');
    return [{ protected: one.protected, signature, alg: alg as ReadSignature['alg'], kid, jku }];
  });
}

/** Whether one of the keys of that name made the signature over the card. */
export function signatureHolds(card: object, one: ReadSignature, keys: readonly NamedKey[]): boolean {
  const { signatures: _, ...rest } = card as Record<string, unknown>;
  // The specification leaves empty members out before it signs; some signers keep them.
  const payloads = [rest, withoutEmpty(rest)].map((value) => Buffer.from(canonicalJson(value)).toString('base64url'));
  return keys
    .filter(({ kid, kty }) => kid === one.kid && kty === KINDS[one.alg])
    .some((jwk) => {
      try {
        const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
        return payloads.some((payload) =>
          verify(HASHES[one.alg], Buffer.from(`${one.protected}.${payload}`), key, one.signature),
        );
      } catch {
        // The key set has a key that is none.
        return false;
      }
    });
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .map(([name, member]) => [name, withoutEmpty(member)] as const)
    .filter(([, member]) => !isEmpty(member));
  return Object.fromEntries(members);
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === false || value === null || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function jsonIn(base64url: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64url, 'base64url').toString());
  } catch {
    return undefined;
  }
}
