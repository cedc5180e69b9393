import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

export type StoredOwnership = SchemaTypes['stored-owner-link'];

/**
 * The owner of the agent behind a key, by the ledger. `owner` finds the agents of a wallet, in the order of their ids, if their
 * links count. Rows of older stores hold proposals and claims, which the plugin `ownership` has now.
 */
export const ownership = collection<StoredOwnership, 'owner'>('ownership', {
  schema: 'stored-owner-link',
  indexes: {
    owner: (stored) => (stored.link && speaksFor(stored) ? [stored.link.owner, stored.agent_id] : undefined),
  },
});

/**
 * Whether what this key and a wallet have signed is about the agent that it names: any key can name any agent. An agent's
 * id is its key, while no registry says otherwise.
 */
export function speaksFor({ key, agent_id }: Pick<StoredOwnership, 'key' | 'agent_id'>): boolean {
  return agent_id === key;
}

export function newOwnership(key: string, agentId: string): StoredOwnership {
  return { key, agent_id: agentId, status: 'pending', proposal: null, claim: null, link: null };
}
