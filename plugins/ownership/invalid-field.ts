import { MeshError } from '../../core/plugin.ts';

/** A request that one field makes wrong. */
export function invalidField(pointer: string, message: string): MeshError {
  return new MeshError('invalid_request', { detail: `${pointer} ${message}`, fields: [{ pointer, message }] });
}
