import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField } from '../../contracts/errors.ts';
import { fromHex, toBase64 } from '../../platform/bytes.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { ownerClaimText } from '../../protocol/identity/owner-claim.ts';
import { isForgeable } from '../../protocol/identity/points.ts';
import type { OwnerLink } from '../../protocol/settlement/accounts.ts';
import type { Identity } from '../../protocol/signer/identity.ts';
import { collection } from '../../storage/declarations.ts';

export type StoredProposal = SchemaTypes['stored-proposal'];
/** What is proposed: a wallet, 8 random bytes in hex, and Unix seconds until when it can claim. */
export type Proposal = Omit<StoredProposal, 'aggregators'>;

export const proposalRef = collection<StoredProposal>('owner', { schema: 'stored-proposal' }).ref('proposed');

/** Refuses what can never claim: no key, a key anybody can sign with, the agent itself. */
export function checkWallet(wallet: string, agentId: string): void {
  const key = parseAgentId(wallet);
  if (!key || isForgeable(key)) throw invalidField('/owner_wallet', 'is no wallet: a key of 32 bytes is needed');
  if (wallet === agentId) throw invalidField('/owner_wallet', 'is the agent itself; an owner is a key of its own');
}

/** The body of `POST /agents/:agent_id/propose-owner`, signed by the agent. */
export function signedProposal(
  { owner, nonce, expires }: Proposal,
  identity: Identity,
  network: Network,
): SchemaTypes['owner-proposal'] {
  const fields = { agent_id: identity.key, owner: parseAgentId(owner)!, nonce: fromHex(nonce, 8)!, expires };
  const signature = toBase64(identity.signDomain('owner/1', network, fields));
  return { owner_wallet: owner, nonce, expires, signature };
}

/** Where an aggregator takes the owner's signature. */
export function claimUrl(aggregator: string, agentId: string): string {
  return `${aggregator.replace(/\/$/, '')}/agents/${agentId}/claim-owner`;
}

export interface Known {
  /** Finalised on the ledger. */
  readonly link: OwnerLink | undefined;
  readonly proposal: StoredProposal | undefined;
  /** Milliseconds. */
  readonly now: number;
}

/** The text is rendered here, from what this node has signed: no aggregator can put other words before the owner. */
export function ownerView(
  { key, address: agent_id }: Pick<Identity, 'key' | 'address'>,
  network: Network,
  { link, proposal, now }: Known,
): SchemaTypes['owner-view'] {
  if (link) return { status: 'claimed', agent_id, owner: link.owner, claimed_at: isoTime(link.claimedAt) };
  if (!proposal || proposal.expires * 1_000 <= now) return { status: 'none', agent_id };
  const { owner, nonce, expires, aggregators } = proposal;
  const claim = { agentId: key, key, owner: parseAgentId(owner)!, nonce: fromHex(nonce, 8)!, expires };
  return {
    status: 'pending',
    agent_id,
    proposed_owner: owner,
    text: ownerClaimText(network, { purpose: 'link', ...claim }),
    expires_at: isoTime(expires),
    claim_at: aggregators.map((url) => claimUrl(url, agent_id)),
  };
}

function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString();
}
