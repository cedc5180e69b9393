import { invalidField, normaliseAgentId } from '../../core/plugin.ts';

/** The id of an agent in base58; `pointer` names the field that it stands in. */
export function idOf(text: string, pointer: string): string {
  const id = normaliseAgentId(text);
  if (id === undefined) throw invalidField(pointer, 'must be 32 bytes in base58 or hex');
  return id;
}
