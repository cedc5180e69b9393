import { toHex } from '../../platform/bytes.ts';
import { formatAgentId } from './ids.ts';
import type { Network } from './network.ts';

/** The sentence that an owner agrees to, by purpose; the owner's wallet shows it word for word. */
export const OWNER_PURPOSES = {
  link: 'I am the owner of this agent. This link can never be changed.',
} as const;

/** Ids and keys are 32 bytes, `nonce` 8; `expires` is in Unix seconds. */
export interface OwnerClaim {
  readonly purpose: keyof typeof OWNER_PURPOSES;
  readonly agentId: Uint8Array;
  readonly key: Uint8Array;
  readonly owner: Uint8Array;
  readonly nonce: Uint8Array;
  readonly expires: number;
}

type ClaimFields = Pick<OwnerClaim, 'purpose'> &
  Readonly<Record<'network' | 'agent' | 'key' | 'owner' | 'nonce' | 'expires', string>>;

/**
 * The text an owner's wallet signs. It consists of fixed words and of fields with one spelling each, so that the
 * on-chain program renders the same bytes from the same fields; at most 400 of them.
 */
export function ownerClaimText(network: Network, claim: OwnerClaim): string {
  if (claim.nonce.length !== 8) throw new RangeError(`the nonce of a claim is 8 bytes, not ${claim.nonce.length}`);
  if (!(Number.isSafeInteger(claim.expires) && claim.expires > 0)) throw new RangeError('a claim needs an expiry');
  return claimWords({
    purpose: claim.purpose,
    network: formatAgentId(network.id),
    agent: formatAgentId(claim.agentId),
    key: formatAgentId(claim.key),
    owner: formatAgentId(claim.owner),
    nonce: toHex(claim.nonce),
    expires: String(claim.expires),
  });
}

/** The words themselves, of fields that are text already: base58, hex and decimal digits. */
export function claimWords(claim: ClaimFields): string {
  const { purpose, network, agent, key, owner, nonce, expires } = claim;
  return [
    'agent-mesh ownership claim',
    '',
    OWNER_PURPOSES[purpose],
    '',
    `network: ${network}`,
    `agent: ${agent}`,
    `key: ${key}`,
    `owner: ${owner}`,
    `nonce: ${nonce}`,
    `expires: ${expires}`,
  ].join('\n');
}
