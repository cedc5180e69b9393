import type { SchemaTypes } from '../../schemas/types.ts';
import { toBase64 } from '../bytes.ts';
import { encodeEnvelope } from '../envelopes/codec.ts';
import type { Envelope } from '../envelopes/envelope.ts';
import { messageType } from '../envelopes/message-types.ts';
import { encodeReceipt, receiptOf } from '../envelopes/receipt.ts';

/** What aggregators are told of an envelope: public types whole, of the others who wrote to whom and when. */
export function reportOf(envelope: Envelope): SchemaTypes['report'] {
  const whole = envelope.version === 1 || messageType(envelope.msgType).report === 'whole';
  return whole
    ? { envelope_b64: toBase64(encodeEnvelope(envelope)) }
    : { receipt_b64: toBase64(encodeReceipt(receiptOf(envelope))) };
}
