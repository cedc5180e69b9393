import type { Contract } from '../contracts/typed.ts';
import { ANSWER, PREPARED_JSON, REDIRECT } from './marks.ts';

/** A body in one of the media types of `alsoTakes`, as it came. */
export interface RawBody<M extends string = string> {
  readonly media: M;
  readonly bytes: Uint8Array;
}

/** The caller, as the route's guard found it. `{ kind: 'anyone', id: '' }` behind `open`. */
export interface Principal {
  readonly kind: string;
  readonly id: string;
  /** SHA-256 (base64url) the body must have, when the credential is bound to it; core compares and answers 401. */
  readonly bodyHash?: string;
  /**
   * Names a credential that was made for one request, such as the `jti` of an agent token. It serves as the idempotency
   * key of a call that brings none, on every route that changes something; another request with it is answered 401.
   */
  readonly once?: string;
  /** How long `once` has to be remembered, Unix milliseconds; a day unless given. */
  readonly onceUntil?: number;
}

/** The request headers an endpoint declares, by their lower-case names. */
export type RequestHeaders = Readonly<Record<string, Contract | { readonly required: Contract }>>;
export type HeadersOf<H> = {
  readonly [K in keyof H]: H[K] extends { readonly required: unknown } ? string : string | undefined;
};

/** The raw body of a request that has none, or whose route takes none. */
export const NO_BODY = new Uint8Array(0);

/** One request, already admitted, limited and validated. */
export interface Call<P = Record<never, string>, Q = Record<never, never>, B = undefined, H = Record<never, never>> {
  readonly params: P;
  readonly query: Q;
  /** The declared ones. */
  readonly headers: H;
  readonly body: B;
  /** The bytes of the body as they came, for signatures that were made over them; empty where the route takes no body. */
  readonly rawBody: Uint8Array;
  readonly principal: Principal;
  /** The caller's address; a forwarded one only when the operator set `trustProxy`. */
  readonly ip: string;
  /** Aborted when the client goes away or the node stops. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  /**
   * Names in query and body that their contracts do not know, which an answer that is an object tells. A handler that
   * reads more names of the request adds those that it ignores.
   */
  readonly ignored: string[];
  /**
   * The idempotency key in force, unique per principal and route. Give it to the transaction that has the effect as its
   * `opId`: then key or token are marked together with the effect, and a call repeated after a crash does nothing twice.
   */
  readonly operationId: string | undefined;
}

/** Bytes that are read while they are sent. */
export interface ByteStream {
  /** Their number; left out where nobody knows it yet, such as of an answer that goes on. */
  readonly size?: number;
  /** Read once, no faster than the client takes it. A throw cuts the connection, so that nobody takes a part for the whole. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** An answer that sets more than its value. Made by `answer`. */
export interface Answer<T> {
  readonly [ANSWER]: true;
  readonly value: T;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sent?: () => unknown;
  readonly again?: boolean;
}

export interface AnswerSettings {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Runs once, when all of the answer has left this process, so that the handler may forget what it gave; never when the client went
   * away before, nor for an answer that is repeated. What it throws is logged. The client may still have got nothing: the network can
   * fail behind it.
   */
  readonly sent?: () => unknown;
  /**
   * Of a call with an idempotency key: this is not the last word. The same call runs the handler again, in place of being told this;
   * another one under its key is refused as before. The handler sees by the `operationId` to it that nothing happens twice.
   */
  readonly again?: boolean;
}

export function answer<T>(value: T, set: AnswerSettings): Answer<T> {
  return { [ANSWER]: true, value, ...set };
}

/** The JSON text of a reply, made earlier; sent as it is. Made by `preparedJson`. */
export interface PreparedJson<T> {
  readonly [PREPARED_JSON]: true;
  readonly text: string;
  readonly type?: T;
}

export function preparedJson<T>(text: string): PreparedJson<T> {
  return { [PREPARED_JSON]: true, text };
}

export type RedirectStatus = 302 | 303 | 307 | 308;

/** Sends the caller to another address. Made by `redirect`. */
export interface Redirect {
  readonly [REDIRECT]: true;
  readonly redirect: string;
  readonly status: RedirectStatus;
}

/**
 * An answer that sends the caller elsewhere: 303 to look there with GET, 302 for now, 307 and 308 (for good) to make the
 * same call there. Anything but a target that the route declares under `redirects` for that status is a fault.
 */
export function redirect(url: string, status: RedirectStatus = 303): Redirect {
  return { [REDIRECT]: true, redirect: url, status };
}
