import { box } from '../envelopes/box.ts';
import { unsealWith } from '../envelopes/sealing.ts';
import { envelopeSigningBytes } from '../envelopes/signing.ts';
import { type DomainFields, domainBytes } from '../identity/domains.ts';
import { formatAgentId } from '../identity/ids.ts';
import type { Network } from '../identity/network.ts';
import { keyPairOf } from '../identity/sign.ts';
import { isTransactionFor } from '../identity/transaction-message.ts';
import { SIGNATURE_LENGTH } from '../identity/verify.ts';
import { boxSecretOf } from '../identity/x25519.ts';
import { type AgentIdentity, SEED_LENGTH } from './identity.ts';

/**
 * Uses the key of one agent, wherever it is kept: core never asks for the key itself. `LocalAgents.signerOf` makes one of
 * a seed; a plugin that keeps seeds encrypted hands in an object that decrypts its seed in each call. Calls are synchronous,
 * because a nonce and its signature are written in one transaction, and one envelope may take several. After a throw
 * nothing is signed.
 */
export interface AgentSigner {
  /** The Ed25519 key, 32 bytes: the agent's id and its wallet. */
  readonly key: Uint8Array;
  /**
   * Signs with Ed25519. Core hands in only bytes that it wrote itself: in the domains of the protocol, and transfers of the agent's own USDC that
   * `LocalWallet.sweep` asks for.
   */
  sign(bytes: Uint8Array): Uint8Array;
  /** Opens a NaCl box (X25519, XSalsa20, Poly1305) that was closed to this key; undefined when it is for another, or damaged. */
  open(closed: Uint8Array, nonce: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined;
}

/** The signer of a seed of 32 bytes, which it keeps in memory. */
export function agentSigner(seed: Uint8Array): AgentSigner {
  if (seed.length !== SEED_LENGTH) throw new RangeError(`a seed is ${SEED_LENGTH} bytes, not ${seed.length}`);
  const { key, sign } = keyPairOf(seed);
  const secret = boxSecretOf(seed);
  return { key, sign, open: (closed, nonce, publicKey) => box.open(closed, nonce, publicKey, secret) };
}

/** The key of an agent whose signer lives elsewhere. */
export interface HostedIdentity extends AgentIdentity {
  /** Signs that a host acts for this agent. */
  signHost(network: Network, fields: DomainFields<'host/1'>): Uint8Array;
  /** Signs that a key replaces another one: as the new one, or as the old one that is its own recovery key. */
  signSuccession(network: Network, fields: DomainFields<'succession/1'>): Uint8Array;
  /** Signs a transaction message that this process built; throws when it is not one that asks for this key's signature. */
  signTransaction(message: Uint8Array): Uint8Array;
}

export function hostedIdentity(signer: AgentSigner): HostedIdentity {
  const key = Uint8Array.from(signer.key);
  function sign(bytes: Uint8Array): Uint8Array {
    const signature = signer.sign(bytes);
    if (signature instanceof Uint8Array && signature.length === SIGNATURE_LENGTH) return signature;
    throw new TypeError(`the signer of agent ${formatAgentId(key)} gave no signature of ${SIGNATURE_LENGTH} bytes`);
  }
  return {
    key,
    address: formatAgentId(key),
    signEnvelope: (network, header, payload) => sign(envelopeSigningBytes(network, header, payload)),
    signHost: (network, fields) => sign(domainBytes('host/1', network.id, fields)),
    signSuccession: (network, fields) => sign(domainBytes('succession/1', network.id, fields)),
    signTransaction(message) {
      if (!isTransactionFor(message, key)) throw new TypeError('not a transaction that this key is asked to sign');
      return sign(message);
    },
    unseal: (sealed, address) => unsealWith(sealed, address, (...given) => signer.open(...given)),
  };
}
