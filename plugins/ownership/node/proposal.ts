import { collection } from '../../../core/plugin.ts';
import type { Owner } from '../../../core/services.ts';
import type { SchemaTypes } from '../../../schemas/types.ts';

export type StoredProposal = SchemaTypes['stored-proposal'];

export const proposalRef = collection<StoredProposal>('owner', { schema: 'stored-proposal' }).ref('proposed');

export interface Known {
  /** Finalised on the ledger. */
  readonly link: Awaited<ReturnType<Owner['link']>>;
  readonly proposal: StoredProposal | undefined;
  /** Milliseconds. */
  readonly now: number;
}

/** The text is rendered here, from what this node has signed: no aggregator can put other words before the owner. */
export function ownerView(
  agent_id: string,
  { link, proposal, now }: Known,
  text: Owner['text'],
): SchemaTypes['owner-view'] {
  if (link) return { status: 'claimed', agent_id, owner: link.owner, claimed_at: isoTime(link.claimedAt) };
  if (!proposal || proposal.expires * 1_000 <= now) return { status: 'none', agent_id };
  const { owner, nonce, expires, aggregators } = proposal;
  return {
    status: 'pending',
    agent_id,
    proposed_owner: owner,
    text: text({ owner, nonce, expires }),
    expires_at: isoTime(expires * 1_000),
    claim_at: aggregators.map((url) => claimUrl(url, agent_id)),
  };
}

/** Where an aggregator takes the owner's signature. */
function claimUrl(aggregator: string, agentId: string): string {
  return `${aggregator.replace(/\/$/, '')}/agents/${agentId}/claim-owner`;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
