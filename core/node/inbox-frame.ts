import type { SchemaTypes } from '../../schemas/types.ts';
import { readInbound } from '../messaging/inbound.ts';
import { isZero, toBase64 } from '../platform/bytes.ts';
import { payloadJson } from '../protocol/envelopes/payloads/codec.ts';
import type { TypedPayload } from '../protocol/envelopes/payloads/payloads.ts';
import { formatMicros } from '../protocol/envelopes/time.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';
import { feedbackView } from './requests/feedback.ts';

type Frame = SchemaTypes['inbox-frame'];

/** An envelope of the inbox as its agent reads it. What stands in the inbox was checked before. */
export function inboxFrame(record: SchemaTypes['inbox-record']): SchemaTypes['inbox-frame'] {
  const read = readInbound(record);
  if (!read.ok) throw new Error(`envelope ${record.envelope_id} of the inbox cannot be read: ${read.reason}`);
  const { envelope, payload, body, sender, conversationId } = read.value;
  const content = payload.msgType === 'DELIVER' ? payload.value.inline_b64 : undefined;
  return {
    cursor: record.cursor,
    envelope_id: record.envelope_id,
    msg_type: envelope.msgType,
    sealed: envelope.sealed,
    sender,
    recipient: isZero(envelope.recipient) ? null : formatAgentId(envelope.recipient),
    conversation_id: conversationId,
    timestamp: formatMicros(envelope.timestamp),
    slot: envelope.blockRef,
    nonce: envelope.nonce,
    payload: payloadJson(payload.value),
    payload_b64: content ?? toBase64(body),
    ...typedMember(payload),
  };
}

/** The members by which clients read three types without looking at `payload`. */
function typedMember(payload: TypedPayload): Pick<Frame, 'feedback' | 'deliver' | 'notarize_bid'> {
  switch (payload.msgType) {
    case 'FEEDBACK':
      return { feedback: feedbackView(payload.value) };
    case 'DELIVER':
      return { deliver: payload.value };
    case 'NOTARIZE_BID':
      return { notarize_bid: payload.value };
    default:
      return {};
  }
}
