import { toHex } from '../bytes.ts';
import { decodeEnvelope } from '../envelopes/codec.ts';
import { type Decoded, decoded } from '../envelopes/decoded.ts';
import type { Envelope } from '../envelopes/envelope.ts';
import { envelopeId } from '../envelopes/header.ts';
import { decodePayload } from '../envelopes/payloads/codecs.ts';
import type { TypedPayload } from '../envelopes/payloads/payloads.ts';
import { formatAgentId, formatConversationId } from '../identity/ids.ts';

/** A verified envelope with what it says. */
export interface Inbound {
  readonly id: string;
  readonly envelope: Envelope;
  /** The sender's key in base58. */
  readonly sender: string;
  readonly conversationId: string;
  readonly payload: TypedPayload;
}

export function inboundOf(envelope: Envelope): Decoded<Inbound> {
  const payload = decodePayload(envelope);
  if (!payload.ok) return payload;
  return decoded({
    id: toHex(envelopeId(envelope)),
    envelope,
    sender: formatAgentId(envelope.sender),
    conversationId: formatConversationId(envelope.conversationId),
    payload: payload.value,
  });
}

/** An envelope of the inbox, which was verified before it was written there. */
export function readInbound(bytes: Uint8Array): Decoded<Inbound> {
  const envelope = decodeEnvelope(bytes);
  return envelope.ok ? inboundOf(envelope.value) : envelope;
}
