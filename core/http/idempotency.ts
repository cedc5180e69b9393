import { createHash } from 'node:crypto';
import { MeshError } from '../contracts/errors.ts';
import type { Principal } from './route.ts';

/** An answer kept to be given again. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text leaves in one write with its headers, which costs the kernel half as much as a buffer. */
  readonly body: string | Buffer | undefined;
}

/** An answer, and whether the same call shall run again in place of being given it. */
type GivenAnswer = StoredAnswer & { readonly again?: boolean };

/** A call that has its effect once, however often it is made. */
export interface KeyedCall {
  /** Equal for repetitions: see `operationOf`. */
  readonly operation: string;
  /** Whether a repetition asks for the same. */
  readonly fingerprint: string;
  /** How long its answer is kept, Unix milliseconds. */
  readonly until: number;
  /** The credential, when it was made for one request only; used for another one, it is refused until then. */
  readonly credential?: { readonly id: string; readonly until: number };
}

/**
 * Remembers what was answered to a call, for all processes on one store and over restarts. A call claims its operation
 * before it runs. The claim of a process that died runs out after seconds: then a repetition runs again, and the
 * operation id in its transactions makes sure that what was done before is not done twice.
 */
export interface IdempotencyStore {
  /** `new` obliges the caller to `finish` or `abandon` the claim. Throws `rate_limited` when too many are remembered. */
  begin(call: KeyedCall): Promise<Claim>;
  finish(call: KeyedCall, claim: string, answer: StoredAnswer): Promise<void>;
  /** Ends the claim of a call that failed: the same call runs again. `refused` when nothing was begun: another one may have the key, too. */
  abandon(call: KeyedCall, claim: string, end: 'refused' | 'failed'): Promise<void>;
}

export type Claim =
  | { readonly state: 'new'; readonly claim: string }
  /** Made before: still running, with another body, or with a credential that another request has used. */
  | { readonly state: 'running' | 'mismatch' | 'spent' }
  /** Answered before; without an answer when that was too large to be kept. */
  | { readonly state: 'done'; readonly answer: StoredAnswer | undefined };

/** How long an answer is kept for a key, milliseconds. */
export const KEEP = 24 * 3_600_000;

export interface CallFacts {
  readonly principal: Principal;
  /** The method and pattern of the route. */
  readonly line: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly body: Uint8Array;
  /** The request headers that the handler gets. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly now: number;
  /** The Idempotency-Key header, where the route takes one. */
  readonly key: string | undefined;
  /** Whether the call may change something. */
  readonly effect: boolean;
}

/**
 * How a call is remembered: by the key it brings, else by its credential, when that was made for one request only.
 * Undefined for calls that may be repeated at will.
 */
export function keyedCall({
  principal,
  line,
  target,
  body,
  headers,
  now,
  key,
  effect,
}: CallFacts): KeyedCall | undefined {
  const { once, onceUntil = now + KEEP } = principal;
  const spends = effect && once !== undefined;
  const name = key ?? (spends ? once : undefined);
  if (name === undefined) return undefined;
  return {
    operation: hash([principal.kind, principal.id, line, name]),
    fingerprint: hash([
      target,
      body,
      ...Object.entries(headers).flatMap(([one, text]) => (text === undefined ? [] : [one, text])),
    ]),
    until: key === undefined ? onceUntil : now + KEEP,
    ...(spends && { credential: { id: hash([principal.kind, principal.id, once]), until: onceUntil } }),
  };
}

/** The Idempotency-Key header of a request; throws `invalid_request` when it is none. */
export function keyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new MeshError('invalid_request', {
    detail: 'Idempotency-Key must be 1 to 255 printable ASCII characters.',
    fields: [{ pointer: '', message: 'the Idempotency-Key header must be 1 to 255 printable ASCII characters' }],
  });
}

/** Runs a call unless it was made before; then its answer is given again. `isRefusal` tells the errors before which nothing was begun. */
export async function once(
  call: KeyedCall,
  store: IdempotencyStore,
  run: () => Promise<GivenAnswer>,
  isRefusal: (error: unknown) => boolean,
): Promise<StoredAnswer> {
  const claim = await store.begin(call);
  if (claim.state !== 'new') return repeated(claim);
  let answer: GivenAnswer;
  try {
    answer = await run();
  } catch (error) {
    // The failure matters more than the claim, which stays for a while.
    await store.abandon(call, claim.claim, isRefusal(error) ? 'refused' : 'failed').catch(() => {});
    throw error;
  }
  await (answer.again ? store.abandon(call, claim.claim, 'failed') : store.finish(call, claim.claim, answer));
  return answer;
}

function repeated(claim: Exclude<Claim, { state: 'new' }>): StoredAnswer {
  switch (claim.state) {
    case 'done':
      if (!claim.answer) throw new MeshError('conflict', 'This was done; its answer was too large to be kept.');
      return { ...claim.answer, headers: { ...claim.answer.headers, 'idempotency-replayed': 'true' } };
    case 'running':
      throw new MeshError('request_in_progress', { retryAfter: 1 });
    case 'mismatch':
      throw new MeshError('idempotency_mismatch');
    case 'spent':
      throw new MeshError('unauthorized', 'This credential was already used for another request.');
  }
}

function hash(parts: readonly (string | Uint8Array)[]): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\0');
  return digest.digest('hex');
}
