import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection, type Ref } from '../../storage/declarations.ts';

export type StoredBounty = SchemaTypes['stored-bounty'];
export type StoredOpenBounties = SchemaTypes['stored-open-bounties'];

/** Work that is offered to anybody, by who offers it and the conversation it is to be done in; gone at its deadline. */
export const bounties = collection<StoredBounty, 'recent' | 'capability'>('bounties', {
  schema: 'stored-bounty',
  indexes: {
    recent: ({ at }) => [-at],
    capability: ({ required_capability, at }) => [required_capability.toLowerCase(), -at],
  },
});

export function bountyRef(agentId: string, conversation: string): Ref<StoredBounty> {
  return bounties.ref(`${agentId}/${conversation}`);
}

/** Which bounties of an agent are open, so that one key can have few. */
export const openBounties = collection<StoredOpenBounties>('open-bounties', { schema: 'stored-open-bounties' });
