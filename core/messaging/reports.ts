import type { SchemaTypes } from '../../schemas/types.ts';
import { toBase64 } from '../bytes.ts';
import { encodeEnvelope } from '../envelopes/codec.ts';
import type { Envelope } from '../envelopes/envelope.ts';
import { isPrivate } from '../envelopes/message-types.ts';
import { receiptBytesOf } from '../envelopes/receipt.ts';

/** What aggregators are told of an envelope: public types whole; of what they could not read, who wrote to whom and when. */
export function reportOf(envelope: Envelope): SchemaTypes['report'] {
  const receipt = envelope.version === 2 && (envelope.sealed || isPrivate(envelope.msgType));
  return !receipt
    ? { envelope_b64: toBase64(encodeEnvelope(envelope)) }
    : { receipt_b64: toBase64(receiptBytesOf(envelope)) };
}
