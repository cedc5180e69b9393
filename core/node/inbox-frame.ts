import type { SchemaTypes } from '../../schemas/types.ts';
import { fromBase64, isZero, toBase64, toHex } from '../bytes.ts';
import { decodeEnvelope } from '../envelopes/codec.ts';
import { bodyOf } from '../envelopes/envelope.ts';
import { formatMicros } from '../envelopes/json.ts';
import { payloadJson } from '../envelopes/payloads/codec.ts';
import { decodePayload } from '../envelopes/payloads/codecs.ts';
import { formatAgentId } from '../identity/ids.ts';

/** An envelope of the inbox as its agent reads it. What stands in the inbox was checked before. */
export function inboxFrame(record: SchemaTypes['inbox-record']): SchemaTypes['inbox-frame'] {
  const decoded = decodeEnvelope(fromBase64(record.bytes)!);
  if (!decoded.ok) throw new Error(`envelope ${record.envelope_id} of the inbox cannot be read: ${decoded.reason}`);
  const envelope = decoded.value;
  const payload = decodePayload(envelope);
  const content = payload.ok && payload.value.msgType === 'DELIVER' ? payload.value.value.inline_b64 : undefined;
  return {
    cursor: record.cursor,
    envelope_id: record.envelope_id,
    msg_type: envelope.msgType,
    sender: formatAgentId(envelope.sender),
    recipient: isZero(envelope.recipient) ? null : formatAgentId(envelope.recipient),
    conversation_id: toHex(envelope.conversationId),
    timestamp: formatMicros(envelope.timestamp),
    slot: envelope.blockRef,
    nonce: envelope.nonce,
    payload: payload.ok ? payloadJson(payload.value.value) : {},
    payload_b64: content ?? toBase64(bodyOf(envelope)),
  };
}
