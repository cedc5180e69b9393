import { createHash } from 'node:crypto';
import type { Random } from '../../platform/clock.ts';
import { type Decoded, decoded, refused } from '../../platform/decoded.ts';
import { parseAgentId } from '../identity/ids.ts';
import { isForgeable } from '../identity/points.ts';
import { SIGNATURE_LENGTH, verify } from '../identity/verify.ts';
import type { TokenRequest } from './token-request.ts';

/**
 * The proof that an agent shows an aggregator instead of a password: a compact JWS that it signs itself, for one
 * request. The header is always the same bytes, so no verifier can choose a wrong algorithm. Times are Unix seconds.
 */
export interface AgentTokenClaims {
  /** The agent's key in base58. */
  readonly iss: string;
  /** The public URL of the aggregator it is for. */
  readonly aud: string;
  readonly iat: number;
  /** At most 300 seconds after `iat`. */
  readonly exp: number;
  /** 16 random bytes, base64url: the request is done once. */
  readonly jti: string;
  /** The HTTP method. */
  readonly htm: string;
  /** Path and query of the request. */
  readonly htu: string;
  /** SHA-256 of the body, base64url. */
  readonly bh: string;
}

export const TOKEN_LIFETIME = 300;
/** Seconds by which the clocks of an agent and an aggregator may differ. */
const SKEW = 30;
const MAX_TOKEN = 4_096;
const HEADER = base64url(Buffer.from('{"alg":"EdDSA","typ":"agent-mesh+jwt"}'));
const PART = /^[A-Za-z0-9_-]+$/;
const TEXTS = ['iss', 'aud', 'jti', 'htm', 'htu', 'bh'] as const;
const NAMES = [...TEXTS, 'iat', 'exp'];

/** The claims of a token for this request, made at `now` milliseconds. */
export function tokenClaims(iss: string, request: TokenRequest, now: number, random: Random): AgentTokenClaims {
  const iat = Math.floor(now / 1_000);
  return {
    iss,
    aud: request.audience,
    iat,
    exp: iat + TOKEN_LIFETIME,
    jti: base64url(random.bytes(16)),
    htm: request.method,
    htu: request.target,
    bh: bodyHash(request.body),
  };
}

/** The bytes a token's signature covers: printable ASCII, which no other thing an identity signs begins with. */
export function tokenSigningBytes(claims: AgentTokenClaims): Uint8Array {
  return Buffer.from(`${HEADER}.${base64url(Buffer.from(JSON.stringify(claims)))}`, 'ascii');
}

export function tokenText(claims: AgentTokenClaims, signature: Uint8Array): string {
  return `${Buffer.from(tokenSigningBytes(claims)).toString('ascii')}.${base64url(signature)}`;
}

/**
 * The claims of a token that its issuer signed and that holds at `now` milliseconds. Never throws. Whether it is for
 * this server, this request and the first time is for the caller to compare.
 */
export function readAgentToken(token: string, now: number): Decoded<AgentTokenClaims> {
  const [header, payload, signature, ...rest] = token.length <= MAX_TOKEN ? token.split('.') : [];
  if (!payload || !signature || rest.length > 0) return refused('not a compact JWS');
  if (header !== HEADER) return refused('not the header of an agent token');
  if (!PART.test(payload) || !PART.test(signature)) return refused('not base64url');
  const claims = readClaims(payload);
  if (!claims) return refused('not the claims of an agent token');
  const key = parseAgentId(claims.iss);
  if (!key || isForgeable(key)) return refused('iss is not an agent key');
  const bytes = Buffer.from(`${header}.${payload}`, 'ascii');
  const signed = Buffer.from(signature, 'base64url');
  if (signed.length !== SIGNATURE_LENGTH || base64url(signed) !== signature) return refused('not a signature');
  if (!verify(bytes, signed, key)) return refused('the signature is not the issuer’s');
  return holds(claims, now / 1_000) ? decoded(claims) : refused('expired, not yet valid, or valid for too long');
}

export function bodyHash(body: Uint8Array): string {
  return base64url(createHash('sha256').update(body).digest());
}

function holds({ iat, exp }: AgentTokenClaims, now: number): boolean {
  return iat <= now + SKEW && exp > now && exp > iat && exp <= iat + TOKEN_LIFETIME;
}

function readClaims(payload: string): AgentTokenClaims | undefined {
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>;
    const whole = Object.keys(claims).length === NAMES.length && NAMES.every((name) => Object.hasOwn(claims, name));
    const texts = TEXTS.every((name) => typeof claims[name] === 'string');
    const times = Number.isSafeInteger(claims['iat']) && Number.isSafeInteger(claims['exp']);
    return whole && texts && times && /^[A-Za-z0-9_-]{22}$/.test(claims['jti'] as string)
      ? (claims as unknown as AgentTokenClaims)
      : undefined;
  } catch {
    return undefined;
  }
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
}
