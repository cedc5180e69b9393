import { invalidField, MeshError } from '../../../core/plugin.ts';
import type { OwnerLinks, Random, Tx } from '../../../core/services.ts';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { links, newLink, type Proposal, type StoredLink } from './links.ts';

const LEAST_SECS = 600;
const MOST_SECS = 30 * 86_400;
/** How long a proposal stands whose expiry is chosen here. */
const CHOSEN_SECS = 7 * 86_400;

/**
 * The proposal of a request body, once the agent's signature in it holds. A body without one comes with an agent
 * token: then nonce and expiry are chosen here. `now` is in milliseconds.
 */
export function readProposal(
  agentId: string,
  body: SchemaTypes['owner-proposal'],
  { service, now, random }: { readonly service: OwnerLinks; readonly now: number; readonly random: Random },
): Proposal {
  const { owner_wallet: owner = body.proposed_owner } = body;
  if (owner === undefined) throw invalidField('/owner_wallet', 'is required: the wallet that owns the agent');
  service.checkWallet(owner, agentId);
  const signed = signedPart(body);
  const proposed = { owner, proposed_at: now };
  if (!signed) {
    const nonce = Buffer.from(random.bytes(8)).toString('hex');
    return { ...proposed, nonce, expires: Math.floor(now / 1000) + CHOSEN_SECS };
  }
  const { nonce, expires, signature } = signed;
  const ahead = expires - Math.floor(now / 1000);
  if (ahead < LEAST_SECS || ahead > MOST_SECS)
    throw invalidField('/expires', 'must be from ten minutes to 30 days ahead, in Unix seconds');
  if (!service.isAgents({ agentId, owner, nonce, expires }, signature))
    throw invalidField('/signature', "is not the agent's over this owner, nonce and expiry on this network (owner/1)");
  return { ...proposed, nonce, expires, signature: Buffer.from(signature, 'base64').toString('base64') };
}

function signedPart({ nonce, expires, signature }: SchemaTypes['owner-proposal']) {
  if (nonce === undefined && expires === undefined && signature === undefined) return undefined;
  const missing = Object.entries({ nonce, expires, signature }).find(([, value]) => value === undefined);
  if (missing) throw invalidField(`/${missing[0]}`, 'is required: nonce, expires and signature come together, or none');
  return { nonce: nonce!, expires: expires!, signature: signature! };
}

/**
 * Writes the proposal down; the newest one stands until an owner has claimed and the agent has signed. The agent's signature for
 * what is proposed already completes it, and proposing the same wallet without one changes nothing. Runs in a transaction that
 * read it.
 */
export function propose(tx: Tx, key: string, proposal: Proposal): StoredLink {
  const known = tx.get(links.ref(key)) ?? newLink(key);
  if (known.status === 'claimed') throw new MeshError('conflict', OWNED);
  const before = known.proposal && known.proposal.expires * 1000 > tx.now ? known.proposal : null;
  if (before && before.owner === proposal.owner && proposal.signature === undefined) return known;
  const completes = before !== null && isSame(before, proposal);
  if (!completes && known.claim && before?.signature !== undefined)
    throw new MeshError('conflict', 'The owner has signed; the link is being written to the ledger.');
  const made: StoredLink = { ...known, status: 'pending', proposal, claim: completes ? known.claim : null };
  tx.put(links.ref(key), made);
  return made;
}
export const OWNED = 'That agent is owned, and the link can never change.';

function isSame(one: Proposal, other: Proposal): boolean {
  return one.owner === other.owner && one.nonce === other.nonce && one.expires === other.expires;
}
