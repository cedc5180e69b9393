import { payloadMatches } from '../../core/protocol/envelopes/build.ts';
import type { Envelope } from '../../core/protocol/envelopes/envelope.ts';
import { encodeHeader } from '../../core/protocol/envelopes/header.ts';
import { envelopeSigningBytes } from '../../core/protocol/envelopes/signing.ts';
import type { Network } from '../../core/protocol/identity/network.ts';
import { verify } from '../../core/protocol/identity/verify.ts';

/** Whether the payload is the one that was hashed and the sender's key signed it on this network. */
export function verifyEnvelope(envelope: Envelope, network: Network): boolean {
  if (envelope.version !== network.version || !payloadMatches(envelope)) return false;
  const bytes = envelopeSigningBytes(network, encodeHeader(envelope), envelope.payload);
  return verify(bytes, envelope.signature, envelope.sender);
}
