/**
 * The faults of an RPC node's answers. `silent`: it did not answer. `status`: the HTTP status is not one of success.
 * `malformed`: the text is no answer to this call. `refused`: it understood the call and refused it. `nonsense`: the
 * answer has not the shape it must have. `behind`: the state is older than was asked for. `disagrees`: another node
 * gives another answer for the same slot.
 */
export const FAULT_KINDS = ['silent', 'status', 'malformed', 'refused', 'nonsense', 'behind', 'disagrees'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** The code of a node that has not reached the slot it was asked for. */
export const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;

/** The node understood the call and refused it. */
export class RpcRefusal extends Error {
  override name = 'RpcRefusal';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The node did not answer, or not properly. `retryAfterMs` when it said how long to wait. */
export class RpcSilence extends Error {
  override name = 'RpcSilence';
  readonly kind: FaultKind;
  readonly retryAfterMs: number | undefined;

  constructor(kind: FaultKind, message: string, options: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }
}
