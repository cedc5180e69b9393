import type { OwnerLink, OwnerLinks } from '../../../core/services.ts';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { type StoredLink, termsOf } from './links.ts';

export interface KnownLink {
  /** By the ledger. */
  readonly link: OwnerLink | undefined;
  /** The signatures made here; undefined for an agent that never proposed anybody. */
  readonly stored: StoredLink | undefined;
  /** Unix milliseconds. */
  readonly now: number;
}

/** A proposal that has run out is none, unless the wallet has claimed. */
export function ownerStatus(
  agentId: string,
  { link, stored, now }: KnownLink,
  service: Pick<OwnerLinks, 'text'>,
): SchemaTypes['owner-status'] {
  if (link) {
    const transaction = link.signature === undefined ? {} : { signature: link.signature };
    return {
      status: 'claimed',
      agent_id: agentId,
      owner: link.owner,
      claimed_at: isoTime(link.claimedAt),
      ...transaction,
    };
  }
  const { proposal, claim, status } = stored ?? {};
  if (status === 'claimed' || !proposal || (!claim && proposal.expires * 1000 <= now))
    return { status: 'none', agent_id: agentId };
  return {
    status: 'pending',
    agent_id: agentId,
    proposed_owner: proposal.owner,
    text: service.text(termsOf(agentId, proposal)),
    nonce: proposal.nonce,
    expires: proposal.expires,
    agent_signed: proposal.signature !== undefined,
    owner_signed: claim !== null,
    expires_at: isoTime(proposal.expires * 1000),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
