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

export interface ReadSignatures {
  /** Those whose algorithm is known and whose header names key and key set. */
  readonly readable: readonly ReadSignature[];
  /** Whether something stands among them that is no signature by any key. */
  readonly hasBroken: boolean;
}

export function readSignatures(signatures: readonly unknown[]): ReadSignatures {
  const readable: ReadSignature[] = [];
  let hasBroken = false;
  for (const one of signatures.slice(0, MOST_SIGNATURES)) {
    const { protected: head, signature: text } = Object(one) as Record<string, unknown>;
    const header = typeof head === 'string' ? jsonIn(head) : undefined;
    const { alg, kid, jku } = Object(header) as Record<string, unknown>;
    const signature = Buffer.from(typeof text === 'string' ? text : '', 'base64url');
    if (typeof alg !== 'string' || alg.toLowerCase() === 'none' || signature.length === 0) hasBroken = true;
    else if (!Object.hasOwn(HASHES, alg) || typeof kid !== 'string') continue;
    else if (typeof jku === 'string' && URL.canParse(jku))
      readable.push({ protected: head as string, signature, alg: alg as ReadSignature['alg'], kid, jku });
  }
  return { readable, hasBroken };
}

/** The key of that name that made the signature over the card. */
export function keyBehind(card: object, one: ReadSignature, keys: readonly NamedKey[]): NamedKey | undefined {
  const { signatures: _, ...rest } = card as Record<string, unknown>;
  // The specification leaves empty members out before it signs; some signers keep them.
  const payloads = [rest, withoutEmpty(rest)].map((value) => Buffer.from(canonicalJson(value)).toString('base64url'));
  return keys
    .filter(({ kid, kty }) => kid === one.kid && kty === KINDS[one.alg])
    .find((jwk) => {
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
