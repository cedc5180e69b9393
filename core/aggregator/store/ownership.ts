import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

export type StoredOwnership = SchemaTypes['stored-owner-link'];

/**
 * Who owns the agent behind a key. `owner` finds the agents of a wallet, in the order of their ids; `claiming` what is
 * still to be written to the ledger.
 */
export const ownership = collection<StoredOwnership, 'owner' | 'claiming'>('ownership', {
  schema: 'stored-owner-link',
  indexes: {
    owner: ({ link, agent_id }) => (link ? [link.owner, agent_id] : undefined),
    claiming: ({ status, claim }) => (status === 'pending' && claim ? [claim.at] : undefined),
  },
});

export function newOwnership(key: string, agentId: string): StoredOwnership {
  return { key, agent_id: agentId, status: 'pending', proposal: null, claim: null, link: null };
}
