/**
 * Every error a client can see. A code is stable: it may be documented, counted and branched on; its status and
 * sentence come from this one table. The HTTP layer renders a `MeshError` as RFC 9457 `application/problem+json`.
 */
export const ERRORS = {
  invalid_request: [400, 'The request does not fit its schema.'],
  unauthorized: [401, 'A valid credential is needed for this call.'],
  payment_required: [402, 'This call costs money: pay as the offer says, and call again with the payment.'],
  insufficient_funds: [402, 'The wallet holds too little for this transaction.'],
  forbidden: [403, 'This credential may not do that.'],
  spending_cap: [403, 'A cap on what this node may spend does not allow this.'],
  not_found: [404, 'There is nothing at this address.'],
  escrow_not_found: [404, 'Nothing is locked on the ledger for this deal.'],
  method_not_allowed: [405, 'This address does not answer that method.'],
  request_timeout: [408, 'The request took too long to arrive.'],
  conflict: [409, 'The request conflicts with what is already there.'],
  payment_used: [409, 'This payment has bought its answer already.'],
  agent_moved: [409, 'The agent goes on under another key.'],
  deadline_not_reached: [409, 'The ledger does not allow this yet.'],
  deadline_passed: [409, 'The ledger does not allow this any more.'],
  escrow_exists: [409, 'An amount is locked for this conversation already.'],
  invalid_transition: [409, 'The deal does not allow this step now.'],
  request_in_progress: [409, 'A request with this idempotency key is still running.'],
  payload_too_large: [413, 'The body is larger than this route takes.'],
  range_not_satisfiable: [416, 'The range begins behind the end.'],
  quota_exceeded: [403, 'This would be more than the caller may keep.'],
  unsupported_media_type: [415, 'The body must be sent as application/json.'],
  misdirected_request: [421, 'This server is not called by that host name.'],
  idempotency_mismatch: [422, 'This idempotency key was used with another body.'],
  transaction_refused: [
    422,
    'A service handed over a transaction that does something else than was asked for; it was not signed.',
  ],
  upgrade_required: [426, 'This address is a WebSocket.'],
  rate_limited: [429, 'Too many requests; wait and retry.'],
  headers_too_large: [431, 'The request headers are too large.'],
  internal: [500, 'Something went wrong inside the node; the log has the details.'],
  upstream_failed: [502, 'A service this node depends on did not answer properly.'],
  not_ready: [503, 'The node is starting or stopping.'],
  clock_skewed: [503, 'The clock of this machine differs from its hubs by more than 30 seconds; set it.'],
  identity_in_use: [503, 'Another process signs with the key of this node; stop it, then restart this node.'],
  ledger_unavailable: [503, 'The ledger did not answer.'],
  ledger_program_missing: [503, 'The settlement program is not deployed on this cluster.'],
  storage_unavailable: [503, 'The store cannot be written or read now; try again soon.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;

export type BuiltInErrorCode = keyof typeof ERRORS;
/** A plugin adds codes of its own in its declaration; the host checks at boot that every thrown code is known. */
export type ErrorCode = BuiltInErrorCode | (string & {});

/** One thing wrong with one field: `pointer` is a JSON pointer into the body, query or parameters. */
export interface FieldProblem {
  readonly pointer: string;
  readonly message: string;
}

export interface ErrorDetails {
  /** A sentence for this occurrence; the table's sentence is the default. */
  readonly detail?: string;
  readonly fields?: readonly FieldProblem[];
  /** Seconds until a retry makes sense; becomes `Retry-After`. */
  readonly retryAfter?: number;
  /** Extra members of the problem document, snake_case. Never secrets. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Headers of the answer. A handler, guard or precondition of a plugin sets those that the route declares under `replyHeaders`, and no others. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class MeshError extends Error {
  override name = 'MeshError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails | string = {}) {
    const given = typeof details === 'string' ? { detail: details } : details;
    super(given.detail ?? sentenceOf(code), given.cause === undefined ? undefined : { cause: given.cause });
    this.code = code;
    this.details = given;
  }
}

/** The refusal of a request of which one field is wrong; `message` continues the field's pointer to a sentence. */
export function invalidField(pointer: string, message: string): MeshError {
  return new MeshError('invalid_request', { detail: `${pointer} ${message}`, fields: [{ pointer, message }] });
}

/** The same refusal, with the names that its caller knows for the fields: those that begin with `from` begin with `to`. */
export function renamedFields(error: unknown, from: string, to: string): unknown {
  if (!isMeshError(error) || !error.details.fields?.some(({ pointer }) => pointer.startsWith(from))) return error;
  const rename = (text: string) => text.replace(from, to);
  const fields = error.details.fields.map(({ pointer, message }) => ({ pointer: rename(pointer), message }));
  return new MeshError(error.code, { ...error.details, detail: rename(error.message), fields });
}

/** Recognises a MeshError of any copy of this package, so that a second copy in node_modules is harmless. */
export function isMeshError(value: unknown): value is MeshError {
  return value instanceof Error && value.name === 'MeshError' && typeof (value as MeshError).code === 'string';
}

function sentenceOf(code: string): string {
  return code in ERRORS ? ERRORS[code as BuiltInErrorCode][1] : code;
}
