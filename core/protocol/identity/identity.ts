import type { Signer } from '../../ledger/ledger.ts';
import type { Decoded } from '../envelopes/decoded.ts';
import { type SealAddress, unseal } from '../envelopes/sealing.ts';
import { envelopeSigningBytes } from '../envelopes/signing.ts';
import { type AgentTokenClaims, tokenSigningBytes, tokenText } from './agent-token.ts';
import { type DomainFields, type DomainName, domainBytes } from './domains.ts';
import { formatAgentId } from './ids.ts';
import type { Network } from './network.ts';
import { keyPairOf } from './sign.ts';
import { isTransactionFor } from './transaction-message.ts';
import { verify } from './verify.ts';
import { boxSecretOf } from './x25519.ts';

export const SEED_LENGTH = 32;

/**
 * An agent's key, the only things it signs, and the only thing it decrypts. There is no way to have bytes of the caller's choice signed: every
 * operation writes what it signs itself, or refuses what does not have its form.
 */
export interface Identity {
  /** The 32 bytes of the public key: the agent id of an agent that is not registered elsewhere. */
  readonly key: Uint8Array;
  /** The key in base58, which is also its address on the ledger. */
  readonly address: string;
  /** Signs a header of 143 bytes; the payload is signed too in version 1 and only by its hash in version 2. */
  signEnvelope(network: Network, header: Uint8Array, payload: Uint8Array): Uint8Array;
  /** Signs the body of one of our domains, for one network. */
  signDomain<N extends SignableDomain>(name: N, network: Network, fields: DomainFields<N>): Uint8Array;
  /** Signs a token for one request of this agent; the issuer must be this key. Gives the compact JWS. */
  signAgentToken(claims: AgentTokenClaims): string;
  /** Signs a transaction message this process built; throws when it is not one that asks for this key's signature. */
  signTransaction(message: Uint8Array): Uint8Array;
  /** Opens a body that was sealed to this key, in an envelope with this address. Never throws. */
  unseal(sealed: Uint8Array, address: SealAddress): Decoded<Uint8Array>;
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

/** The port through which the ledger asks for signatures of transactions. */
export function ledgerSigner(identity: Identity): Signer {
  return { address: identity.address, sign: (message) => identity.signTransaction(message) };
}

/** Whether `signature` is `key`'s over these fields of a domain. */
export function verifyDomain<N extends DomainName>(
  name: N,
  network: Network,
  fields: DomainFields<N>,
  signature: Uint8Array,
  key: Uint8Array,
): boolean {
  return verify(domainBytes(name, network.id, fields), signature, key);
}
