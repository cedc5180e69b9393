import type { SchemaTypes } from '../../schemas/types.ts';
import { fromBase64, toHex } from '../platform/bytes.ts';
import { type Decoded, decoded } from '../platform/decoded.ts';
import { decodeEnvelope } from '../protocol/envelopes/codec.ts';
import { bodyOf, type Envelope } from '../protocol/envelopes/envelope.ts';
import { envelopeId } from '../protocol/envelopes/header.ts';
import { decodePayload } from '../protocol/envelopes/payloads/codecs.ts';
import type { TypedPayload } from '../protocol/envelopes/payloads/payloads.ts';
import { formatAgentId, formatConversationId } from '../protocol/identity/ids.ts';

/** A verified envelope with its decoded payload. */
export interface Inbound {
  readonly id: string;
  readonly envelope: Envelope;
  /** The payload without its salt, decrypted when `envelope.sealed`. */
  readonly body: Uint8Array;
  /** The sender's key in base58. */
  readonly sender: string;
  readonly conversationId: string;
  readonly payload: TypedPayload;
  /** The address that it came from, when its sender had no business with this node before. */
  readonly stranger?: string;
}

/** `opened` is the body of a sealed envelope. */
export function inboundOf(envelope: Envelope, opened?: Uint8Array): Decoded<Inbound> {
  const payload = decodePayload(envelope, opened);
  if (!payload.ok) return payload;
  return decoded({
    id: toHex(envelopeId(envelope)),
    envelope,
    body: opened ?? bodyOf(envelope),
    sender: formatAgentId(envelope.sender),
    conversationId: formatConversationId(envelope.conversationId),
    payload: payload.value,
  });
}

/** An envelope of the inbox, which was verified before it was written there. */
export function readInbound({ bytes, opened }: SchemaTypes['inbox-record']): Decoded<Inbound> {
  const envelope = decodeEnvelope(fromBase64(bytes)!);
  if (!envelope.ok) return envelope;
  return inboundOf(envelope.value, opened === undefined ? undefined : fromBase64(opened));
}
