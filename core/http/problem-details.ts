import { ERRORS, isMeshError, MeshError } from '../contracts/errors.ts';
import type { StorageError } from '../storage/adapter.ts';

export type ErrorTable = Readonly<Record<string, readonly [status: number, sentence: string]>>;

/** A problem document (RFC 9457) with the status and headers it goes out with. */
export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Renders what a client may know of an error. Undefined: this error must not be shown; log it and send `internal`. */
export function problemOf(error: unknown, instance: string, table: ErrorTable = ERRORS): ProblemAnswer | undefined {
  if (!isDeclared(error, table)) return undefined;
  return render(error, table[error.code]!, instance);
}

/** Whether it refuses the call for what it is or asks for: a status of 4xx. */
export function isRefusal(error: unknown, table: ErrorTable = ERRORS): boolean {
  return isDeclared(error, table) && table[error.code]![0] < 500;
}

/** The answer to a store that cannot take or give anything now; undefined for every other error. */
export function storageProblem(error: unknown, instance: string): ProblemAnswer | undefined {
  if (!(error instanceof Error) || error.name !== 'StorageError') return undefined;
  if ((error as StorageError).fault === 'too_large') return undefined;
  return problemOf(new MeshError('storage_unavailable', { retryAfter: 1 }), instance);
}

export function internalProblem(instance: string): ProblemAnswer {
  return render({ code: 'internal', details: {} }, ERRORS.internal, instance);
}

function isDeclared(error: unknown, table: ErrorTable): error is MeshError {
  return isMeshError(error) && Object.hasOwn(table, error.code);
}

function render(
  { code, details }: Pick<MeshError, 'code' | 'details'>,
  [status, title]: readonly [number, string],
  instance: string,
): ProblemAnswer {
  const headers: Record<string, string> = { ...details.headers };
  if (details.retryAfter !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(details.retryAfter)));
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  return {
    status,
    headers,
    body: {
      ...details.extra,
      type: `urn:agent-mesh:error:${code}`,
      title,
      status,
      ...(details.detail !== undefined && { detail: details.detail }),
      instance,
      code,
      error: code,
      ...(details.fields?.length && { fields: details.fields }),
    },
  };
}
