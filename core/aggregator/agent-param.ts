import { MeshError } from '../contracts/errors.ts';
import { normaliseAgentId } from '../protocol/identity/ids.ts';

/** The base58 form of an agent id from a path or query; `invalid_request` when it is not 32 bytes. */
export function agentIdFrom(text: string, field = 'agent_id'): string {
  const id = normaliseAgentId(text);
  if (id !== undefined) return id;
  const fields = [{ pointer: `/${field}`, message: 'must be 32 bytes in base58 or hex' }];
  throw new MeshError('invalid_request', { detail: `/${field} must be 32 bytes in base58 or hex`, fields });
}
