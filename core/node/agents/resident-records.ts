import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

export type ResidentRecord = SchemaTypes['local-agent-record'];

/** The agents that live on this node beside its own, by key. */
export const residents = collection<ResidentRecord>('residents', { schema: 'local-agent-record' });

/** The space of `residents`. No plugin has a name with an underscore. */
export const RESIDENTS_SPACE = 'local_agents';

/** The space of one of these agents: its key as a number of 52 digits, since names have no capitals. */
export function spaceNameOf(key: Uint8Array): string {
  const number = BigInt(`0x${Buffer.from(key).toString('hex')}`);
  return `agent_${number.toString(32).padStart(52, '0')}`;
}
