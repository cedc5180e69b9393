import { isMeshError, MeshError } from '../../contracts/errors.ts';
import type { Action } from '../../protocol/deals/events.ts';

/** Adds `allowed_actions` to the refusal of a step; any other error passes unchanged. */
export function withAllowed(error: unknown, allowed_actions: readonly Action[]): unknown {
  if (!isMeshError(error) || error.details.extra?.['allowed_actions'] !== undefined) return error;
  const { details, code, message } = error;
  return new MeshError(code, {
    ...details,
    detail: message,
    extra: { ...details.extra, allowed_actions },
    cause: error,
  });
}
