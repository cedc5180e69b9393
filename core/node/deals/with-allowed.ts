import { isMeshError, MeshError } from '../../contracts/errors.ts';
import type { Action } from '../../protocol/deals/events.ts';

/** The refusal of a step with what its deal allows instead; anything else as it is. */
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
