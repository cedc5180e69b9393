import { collection, MeshError } from '../../../core/plugin.ts';
import type { OwnerTerms, Tx } from '../../../core/services.ts';
import type { SchemaTypes } from '../../../schemas/types.ts';

export type StoredLink = SchemaTypes['stored-owner-link'];
export type Proposal = NonNullable<StoredLink['proposal']>;

/** The signatures of an agent and a wallet so far. `claiming` finds claims that both have signed and the ledger does not have yet. */
export const links = collection<StoredLink, 'claiming'>('links', {
  schema: 'stored-owner-link',
  indexes: {
    claiming: ({ status, claim, proposal }) =>
      status === 'pending' && claim && proposal?.signature !== undefined ? [claim.at] : undefined,
  },
});

export function newLink(key: string): StoredLink {
  return { key, agent_id: key, status: 'pending', proposal: null, claim: null, link: null };
}

export function termsOf(agentId: string, { owner, nonce, expires }: Proposal): OwnerTerms {
  return { agentId, owner, nonce, expires };
}

const spending = collection<SchemaTypes['stored-link-budget']>('link-budget', { schema: 'stored-link-budget' });
export const budgetRef = spending.ref('links');
const DAY = 86_400_000;

/** Takes the price of one link from what this aggregator pays for in a day (UTC). Runs in a transaction that read it. */
export function spendOnLink(tx: Tx, lamports: number, dailyLamports: number): void {
  const day = Math.floor(tx.now / DAY);
  const known = tx.get(budgetRef);
  const spent = known?.day === day ? known.spent : 0;
  if (spent + lamports > dailyLamports)
    throw new MeshError('rate_limited', {
      detail:
        'This aggregator pays for no more links today; claim again tomorrow, or write the link from your own node.',
      retryAfter: Math.ceil(((day + 1) * DAY - tx.now) / 1000),
    });
  tx.put(budgetRef, { day, spent: spent + lamports });
}
