import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { type StoredOwnership, speaksFor } from '../store/ownership.ts';
import { isoTime } from '../times.ts';
import { textOf } from './proposal.ts';

/**
 * `stored` is undefined for an agent that never proposed anybody. A proposal that has run out is none, and so is a link that
 * names another agent than the one whose key signed it.
 */
export function ownerStatus(
  agentId: string,
  stored: StoredOwnership | undefined,
  network: Network,
  now: number,
): SchemaTypes['owner-status'] {
  if (stored?.link && speaksFor(stored)) {
    const { owner, claimed_at, signature } = stored.link;
    const transaction = signature === undefined ? {} : { signature };
    return { status: 'claimed', agent_id: stored.agent_id, owner, claimed_at: isoTime(claimed_at), ...transaction };
  }
  const { proposal, claim, link } = stored ?? {};
  if (link || !proposal || (!claim && proposal.expires * 1000 <= now)) return { status: 'none', agent_id: agentId };
  return {
    status: 'pending',
    agent_id: agentId,
    proposed_owner: proposal.owner,
    text: textOf(stored!.key, proposal, network),
    nonce: proposal.nonce,
    expires: proposal.expires,
    agent_signed: proposal.signature !== undefined,
    owner_signed: claim !== null,
    expires_at: isoTime(proposal.expires * 1000),
  };
}
