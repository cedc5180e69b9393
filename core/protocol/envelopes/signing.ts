import { concatBytes } from '../../platform/bytes.ts';
import { domainBytes, HEADER_LENGTH } from '../identity/domains.ts';
import type { Network } from '../identity/network.ts';

/** A key that signs envelopes. */
export interface EnvelopeSigner {
  /** The 32 bytes of the public key. */
  readonly key: Uint8Array;
  /** Signs a header of 143 bytes; the payload is signed too in version 1 and only by its hash in version 2. */
  signEnvelope(network: Network, header: Uint8Array, payload: Uint8Array): Uint8Array;
}

/**
 * The bytes that the signature of an envelope covers. Version 2: the domain tag, the network and the header, 198
 * bytes, so that a header with its signature proves itself without the payload. Version 1: the header and the
 * payload, untagged.
 */
export function envelopeSigningBytes(network: Network, header: Uint8Array, payload: Uint8Array): Uint8Array {
  if (header.length !== HEADER_LENGTH) throw new RangeError(`a header is 143 bytes, not ${header.length}`);
  if (header[0] !== network.version) throw new RangeError(`network ${network.name} speaks version ${network.version}`);
  if (network.version === 1) return concatBytes(header, payload);
  return domainBytes('envelope/2', network.id, { header });
}
