import { isMeshError, type MeshError } from '../../../core/plugin.ts';

const DOMAIN = 'a2a-protocol.org';
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

/** The errors of the protocol: code of JSON-RPC, status of HTTP, name of that status, sentence. */
const KINDS = {
  TASK_NOT_FOUND: [-32001, 404, 'NOT_FOUND', 'There is no such task.'],
  TASK_NOT_CANCELABLE: [-32002, 400, 'FAILED_PRECONDITION', 'The task cannot be canceled now.'],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [-32003, 400, 'FAILED_PRECONDITION', 'This caller gets no push notifications.'],
  UNSUPPORTED_OPERATION: [-32004, 400, 'FAILED_PRECONDITION', 'The task does not allow this now.'],
  CONTENT_TYPE_NOT_SUPPORTED: [-32005, 400, 'INVALID_ARGUMENT', 'This agent takes text and JSON data.'],
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: [-32007, 400, 'FAILED_PRECONDITION', 'There is no extended card.'],
  VERSION_NOT_SUPPORTED: [-32009, 400, 'FAILED_PRECONDITION', 'This agent speaks A2A 1.0.'],
  parse: [-32700, 400, 'INVALID_ARGUMENT', 'The body is not JSON.'],
  request: [-32600, 400, 'INVALID_ARGUMENT', 'The body is not a request of JSON-RPC 2.0.'],
  method: [-32601, 404, 'NOT_FOUND', 'A2A 1.0 has no such method.'],
  params: [-32602, 400, 'INVALID_ARGUMENT', 'The parameters do not fit the method.'],
  internal: [-32603, 500, 'INTERNAL', 'Something went wrong inside the node.'],
  unauthenticated: [-32000, 401, 'UNAUTHENTICATED', 'A token is needed for this.'],
  timeout: [-32000, 408, 'DEADLINE_EXCEEDED', 'The request took too long to arrive.'],
  large: [-32000, 413, 'INVALID_ARGUMENT', 'The request is too large.'],
  limit: [-32000, 429, 'RESOURCE_EXHAUSTED', 'Too many; wait and try again.'],
  unavailable: [-32603, 503, 'UNAVAILABLE', 'The node cannot do this now; try again soon.'],
} as const satisfies Record<string, readonly [number, number, string, string]>;

/** Kinds that are errors of A2A; the others are of JSON-RPC and HTTP. */
const REASON = /^[A-Z_]+$/;

export type RefusalKind = keyof typeof KINDS;

/** Codes of this node by the error of the protocol that tells them best. */
const OF_CODE: Readonly<Record<string, RefusalKind>> = {
  ...{ not_found: 'TASK_NOT_FOUND', forbidden: 'UNSUPPORTED_OPERATION', unauthorized: 'unauthenticated' },
  ...{ invalid_request: 'params', payload_too_large: 'large', request_timeout: 'timeout' },
  ...{ rate_limited: 'limit', quota_exceeded: 'limit', not_ready: 'unavailable', clock_skewed: 'unavailable' },
  ...{ storage_unavailable: 'unavailable', ledger_unavailable: 'unavailable', identity_in_use: 'unavailable' },
  ...{ unsupported_media_type: 'CONTENT_TYPE_NOT_SUPPORTED' },
};

interface RefusalDetails {
  readonly detail?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly fields?: readonly { readonly field: string; readonly description: string }[];
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** A request that is answered with an error of the protocol. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  readonly details: RefusalDetails;

  constructor(kind: RefusalKind, details: RefusalDetails = {}) {
    super(details.detail ?? KINDS[kind][3]);
    this.kind = kind;
    this.details = details;
  }

  get httpStatus(): number {
    return KINDS[this.kind][1];
  }

  /** The member `error` of a response of JSON-RPC. */
  get rpc(): object {
    const data = this.#list();
    return { code: KINDS[this.kind][0], message: this.message, ...(data.length > 0 && { data }) };
  }

  /** The body of an answer over HTTP+JSON. */
  get rest(): object {
    const [, code, status] = KINDS[this.kind];
    return { error: { code, status, message: this.message, details: this.#list() } };
  }

  #list(): object[] {
    const { metadata = {}, fields } = this.details;
    const reason = REASON.test(this.kind) ? this.kind : undefined;
    return [
      ...(reason === undefined ? [] : [{ '@type': ERROR_INFO, reason, domain: DOMAIN, metadata }]),
      ...(fields ? [{ '@type': BAD_REQUEST, fieldViolations: fields }] : []),
    ];
  }
}

export function invalidParam(field: string, description: string): Refusal {
  return new Refusal('params', { detail: `${field} ${description}`, fields: [{ field, description }] });
}

/** The refusal that tells an error; undefined for a fault, which is for the log. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  return isMeshError(error) ? ofMesh(error) : undefined;
}

function ofMesh({ code, message, details }: MeshError): Refusal | undefined {
  if (code === 'internal') return undefined;
  const kind = OF_CODE[code] ?? 'UNSUPPORTED_OPERATION';
  if (kind === 'TASK_NOT_FOUND') return new Refusal(kind);
  const allowed = details.extra?.['allowed_actions'];
  const fields = details.fields?.map(({ pointer, message: description }) => ({
    field: pointer.slice(1).replaceAll('/', '.'),
    description,
  }));
  return new Refusal(kind, {
    detail: message,
    ...(kind === 'UNSUPPORTED_OPERATION' && {
      metadata: { code, ...(Array.isArray(allowed) && { allowed_actions: allowed.join(',') }) },
    }),
    ...(kind === 'params' && fields && { fields }),
    retryAfter: details.retryAfter,
  });
}
