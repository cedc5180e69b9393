import type { SchemaTypes } from '../../../schemas/types.ts';
import { fromBase64, fromHex, toBase64 } from '../../bytes.ts';
import { invalidField, MeshError } from '../../errors.ts';
import { verifyDomain } from '../../identity/identity.ts';
import { parseAgentId } from '../../identity/ids.ts';
import type { Network } from '../../identity/network.ts';
import { ownerClaimText } from '../../identity/owner-claim.ts';
import { isForgeable } from '../../identity/points.ts';
import type { Tx } from '../../storage/transaction.ts';
import { newOwnership, ownership, type StoredOwnership } from '../store/ownership.ts';

export type Proposal = NonNullable<StoredOwnership['proposal']>;

const LEAST_SECS = 600;
const MOST_SECS = 30 * 86_400;

/** What the body proposes, once the agent's signature holds for it. `now` is in milliseconds. */
export function readProposal(
  key: string,
  body: SchemaTypes['owner-proposal'],
  network: Network,
  now: number,
): Proposal {
  const owner = parseAgentId(body.owner_wallet);
  if (!owner || isForgeable(owner)) throw invalidField('/owner_wallet', 'is no wallet: a key of 32 bytes is needed');
  if (body.owner_wallet === key)
    throw invalidField('/owner_wallet', 'is the agent itself; an owner is a key of its own');
  const ahead = body.expires - Math.floor(now / 1000);
  if (ahead < LEAST_SECS || ahead > MOST_SECS)
    throw invalidField('/expires', 'must be from ten minutes to 30 days ahead, in Unix seconds');
  const signature = fromBase64(body.signature);
  const agentKey = parseAgentId(key)!;
  const fields = { agent_id: agentKey, owner, nonce: fromHex(body.nonce, 8)!, expires: body.expires };
  if (signature?.length !== 64 || !verifyDomain('owner/1', network, fields, signature, agentKey))
    throw invalidField('/signature', "is not the agent's over this owner, nonce and expiry on this network (owner/1)");
  const { owner_wallet, nonce, expires } = body;
  return { owner: owner_wallet, nonce, expires, signature: toBase64(signature), proposed_at: now };
}

/** Writes the proposal down; the newest one stands until an owner has claimed. Runs in a transaction that read it. */
export function propose(tx: Tx, key: string, proposal: Proposal): StoredOwnership {
  const known = tx.get(ownership.ref(key)) ?? newOwnership(key, key);
  if (known.status === 'claimed')
    throw new MeshError('conflict', 'That agent is owned, and the link can never change.');
  if (known.claim && known.proposal && known.proposal.expires * 1000 > tx.now)
    throw new MeshError('conflict', 'The owner has signed; the link is being written to the ledger.');
  const made: StoredOwnership = { ...known, status: 'pending', proposal, claim: null };
  tx.put(ownership.ref(key), made);
  return made;
}

/** What the proposed owner's wallet has to sign. */
export function textOf(key: string, { owner, nonce, expires }: Proposal, network: Network): string {
  const agent = parseAgentId(key)!;
  const claim = { agentId: agent, key: agent, owner: parseAgentId(owner)!, nonce: fromHex(nonce, 8)!, expires };
  return ownerClaimText(network, { purpose: 'link', ...claim });
}
