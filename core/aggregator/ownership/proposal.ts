import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import { fromBase64, fromHex, toBase64, toHex } from '../../platform/bytes.ts';
import type { Random } from '../../platform/clock.ts';
import { verifyDomain } from '../../protocol/identity/domains.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { ownerClaimText } from '../../protocol/identity/owner-claim.ts';
import { isForgeable } from '../../protocol/identity/points.ts';
import type { Tx } from '../../storage/transaction.ts';
import { newOwnership, ownership, type StoredOwnership } from '../store/ownership.ts';

export type Proposal = NonNullable<StoredOwnership['proposal']>;

const LEAST_SECS = 600;
const MOST_SECS = 30 * 86_400;
/** How long a proposal stands whose expiry is chosen here. */
const CHOSEN_SECS = 7 * 86_400;

/**
 * The proposal of a request body, once the agent's signature in it holds. A body without one comes with an agent
 * token: then nonce and expiry are chosen here. `now` is in milliseconds.
 */
export function readProposal(
  key: string,
  body: SchemaTypes['owner-proposal'],
  network: Network,
  { now, random }: { readonly now: number; readonly random: Random },
): Proposal {
  const { owner_wallet = body.proposed_owner } = body;
  if (owner_wallet === undefined) throw invalidField('/owner_wallet', 'is required: the wallet that owns the agent');
  const owner = parseAgentId(owner_wallet);
  if (!owner || isForgeable(owner)) throw invalidField('/owner_wallet', 'is no wallet: a key of 32 bytes is needed');
  if (owner_wallet === key) throw invalidField('/owner_wallet', 'is the agent itself; an owner is a key of its own');
  const terms = termsOf(body);
  const proposed = { owner: owner_wallet, proposed_at: now };
  if (!terms) return { ...proposed, nonce: toHex(random.bytes(8)), expires: Math.floor(now / 1000) + CHOSEN_SECS };
  const ahead = terms.expires - Math.floor(now / 1000);
  if (ahead < LEAST_SECS || ahead > MOST_SECS)
    throw invalidField('/expires', 'must be from ten minutes to 30 days ahead, in Unix seconds');
  const signature = fromBase64(terms.signature);
  const agentKey = parseAgentId(key)!;
  const fields = { agent_id: agentKey, owner, nonce: fromHex(terms.nonce, 8)!, expires: terms.expires };
  if (signature?.length !== 64 || !verifyDomain('owner/1', network, fields, signature, agentKey))
    throw invalidField('/signature', "is not the agent's over this owner, nonce and expiry on this network (owner/1)");
  return { ...proposed, ...terms, signature: toBase64(signature) };
}

function termsOf({ nonce, expires, signature }: SchemaTypes['owner-proposal']) {
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
export function propose(tx: Tx, key: string, proposal: Proposal): StoredOwnership {
  const known = tx.get(ownership.ref(key)) ?? newOwnership(key, key);
  if (known.status === 'claimed')
    throw new MeshError('conflict', 'That agent is owned, and the link can never change.');
  const before = known.proposal && known.proposal.expires * 1000 > tx.now ? known.proposal : null;
  if (before && before.owner === proposal.owner && proposal.signature === undefined) return known;
  const completes = before !== null && isSame(before, proposal);
  if (!completes && known.claim && before?.signature !== undefined)
    throw new MeshError('conflict', 'The owner has signed; the link is being written to the ledger.');
  const made: StoredOwnership = { ...known, status: 'pending', proposal, claim: completes ? known.claim : null };
  tx.put(ownership.ref(key), made);
  return made;
}

function isSame(one: Proposal, other: Proposal): boolean {
  return one.owner === other.owner && one.nonce === other.nonce && one.expires === other.expires;
}

/** The text that the proposed owner's wallet has to sign. */
export function textOf(key: string, { owner, nonce, expires }: Proposal, network: Network): string {
  const agent = parseAgentId(key)!;
  const claim = { agentId: agent, key: agent, owner: parseAgentId(owner)!, nonce: fromHex(nonce, 8)!, expires };
  return ownerClaimText(network, { purpose: 'link', ...claim });
}
