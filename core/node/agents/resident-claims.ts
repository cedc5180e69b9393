import { invalidField } from '../../contracts/errors.ts';
import { toBase64 } from '../../platform/bytes.ts';
import { domainBytes } from '../../protocol/identity/domains.ts';
import { KEY_LENGTH, parseAgentId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { isForgeable } from '../../protocol/identity/points.ts';
import { verify } from '../../protocol/identity/verify.ts';
import { type AgentSigner, type HostedIdentity, hostedIdentity } from '../../protocol/signer/agent-signer.ts';
import type { ResidentRecord } from './resident-records.ts';

/** Days for which a claim holds; one that has half of them left is signed again. */
const CLAIM_DAYS = 90;
const DAY = 86_400;

/** The host that acts for the agents, with its address and the time; Unix milliseconds. */
export interface ClaimPlace {
  readonly host: string;
  readonly network: Network;
  readonly now: number;
}

/** The identity of a signer that was handed in; throws `invalid_request` where its key is none. */
export function checkedIdentity(signer: AgentSigner | undefined): HostedIdentity {
  const key = signer?.key;
  if (!(key instanceof Uint8Array) || key.length !== KEY_LENGTH || isForgeable(key))
    throw invalidField('/signer/key', 'is no Ed25519 key of 32 bytes that an agent can have');
  return hostedIdentity(signer!);
}

/**
 * The record of an agent with a claim (host/1) that holds for long enough; `stored` itself where it has one. The recovery key of the first
 * claim stays, since no other counts.
 */
export function claimedRecord(
  identity: HostedIdentity,
  { host, network, now: ms }: ClaimPlace,
  recoveryKey: string | undefined,
  stored?: ResidentRecord,
): ResidentRecord {
  const recovery_key = recoveryKey ?? stored?.recovery_key ?? identity.address;
  const recovery = parseAgentId(recovery_key);
  if (!recovery) throw invalidField('/recoveryKey', 'is no key: 32 bytes in base58');
  // With such a key nobody names a successor, and who takes it for a key of their own learns that when it is needed.
  if (!stored && isForgeable(recovery))
    throw invalidField('/recoveryKey', 'is no key that anybody can have: give one of yours');
  if (stored && stored.recovery_key !== recovery_key)
    throw invalidField('/recoveryKey', `is not the one that was published first, ${stored.recovery_key}`);
  const now = Math.floor(ms / 1_000);
  if (stored && stored.not_after - now >= (CLAIM_DAYS / 2) * DAY) return stored;
  const fields = { host_key: parseAgentId(host)!, recovery_key: recovery, not_after: now + CLAIM_DAYS * DAY };
  const signature = identity.signHost(network, fields);
  if (!verify(domainBytes('host/1', network.id, fields), signature, identity.key))
    throw invalidField('/signer', 'signs nothing that verifies with its key');
  const known = stored ?? { name: '', plugin: '', awake: true };
  return { ...known, recovery_key, not_after: fields.not_after, signature_b64: toBase64(signature) };
}
