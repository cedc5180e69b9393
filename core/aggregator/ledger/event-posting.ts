import { invalidField } from '../../contracts/errors.ts';
import { agentIdFrom } from '../agent-param.ts';

/** The one thing events are found by; undefined for all of them. */
export function eventPosting(filter: {
  readonly agent_id?: string;
  readonly conversation_id?: string;
}): string | undefined {
  const { agent_id, conversation_id } = filter;
  if (agent_id !== undefined && conversation_id !== undefined) {
    throw invalidField('/agent_id', 'cannot be combined with conversation_id: ask for one of them');
  }
  return agent_id === undefined ? conversation_id?.toLowerCase() : agentIdFrom(agent_id);
}
