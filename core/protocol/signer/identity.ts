import type { Decoded } from '../../platform/decoded.ts';
import { type SealAddress, unseal } from '../envelopes/sealing.ts';
import { type EnvelopeSigner, envelopeSigningBytes } from '../envelopes/signing.ts';
import { type DomainFields, type DomainName, domainBytes } from '../identity/domains.ts';
import { formatAgentId } from '../identity/ids.ts';
import type { Network } from '../identity/network.ts';
import { keyPairOf } from '../identity/sign.ts';
import { isTransactionFor } from '../identity/transaction-message.ts';
import { boxSecretOf } from '../identity/x25519.ts';
import { type AgentTokenClaims, tokenSigningBytes, tokenText } from './agent-token.ts';

export const SEED_LENGTH = 32;

/** The key of an agent as messages and deals use it: it signs envelopes, and opens what was sealed to it. */
export interface AgentIdentity extends EnvelopeSigner {
  /** The key in base58, which is also its address on the ledger. */
  readonly address: string;
  /** Opens a body that was sealed to this key, in an envelope with this address. Never throws. */
  unseal(sealed: Uint8Array, address: SealAddress): Decoded<Uint8Array>;
}

/**
 * An agent's key, the only things it signs, and the only thing it decrypts. No operation signs bytes of the caller's
 * choice: each writes the signed bytes itself, or refuses bytes that do not have its form.
 */
export interface Identity extends AgentIdentity {
  /** Signs the body of one of our domains, for one network. */
  signDomain<N extends SignableDomain>(name: N, network: Network, fields: DomainFields<N>): Uint8Array;
  /** Signs a token for one request of this agent; the issuer must be this key. Gives the compact JWS. */
  signAgentToken(claims: AgentTokenClaims): string;
  /** Signs a transaction message this process built; throws when it is not one that asks for this key's signature. */
  signTransaction(message: Uint8Array): Uint8Array;
}

export type SignableDomain = Exclude<DomainName, 'envelope/2'>;

/** The identity of a seed of 32 bytes. */
export function identityFromSeed(seed: Uint8Array): Identity {
  if (seed.length !== SEED_LENGTH) throw new RangeError(`a seed is ${SEED_LENGTH} bytes, not ${seed.length}`);
  const { key, sign } = keyPairOf(seed);
  const boxSecret = boxSecretOf(seed);
  return {
    key,
    address: formatAgentId(key),
    signEnvelope: (network, header, payload) => sign(envelopeSigningBytes(network, header, payload)),
    signDomain: (name, network, fields) => sign(domainBytes(name, network.id, fields)),
    signAgentToken(claims) {
      if (claims.iss !== formatAgentId(key)) throw new TypeError('a token is issued by the key that signs it');
      return tokenText(claims, sign(tokenSigningBytes(claims)));
    },
    signTransaction(message) {
      if (!isTransactionFor(message, key)) throw new TypeError('not a transaction that this key is asked to sign');
      return sign(message);
    },
    unseal: (sealed, address) => unseal(sealed, address, boxSecret),
  };
}
