import { CborWriter } from '../../core/protocol/envelopes/cbor-writer.ts';
import type { Envelope, Receipt } from '../../core/protocol/envelopes/envelope.ts';
import { writeHeader } from '../../core/protocol/envelopes/header.ts';
import { hasPublicPart, partsOf } from '../../core/protocol/envelopes/public-part.ts';

/** Header and signature of an envelope, and of a deal message its public part, to be changed before it is sent. */
export function receiptOf(envelope: Envelope): Receipt {
  if (envelope.version !== 2) throw new TypeError('version 1 has no receipts');
  const { payload, ...header } = envelope;
  return { ...header, version: 2, ...(hasPublicPart(envelope) && { parts: partsOf(envelope, payload) }) };
}

/** Writes a receipt as PROTOCOL 23a says, whether it is true or not. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const { parts, signature } = receipt;
  const writer = new CborWriter(384);
  writer.array(parts ? 13 : 11);
  writeHeader(writer, receipt);
  if (parts) {
    writer.bytes(parts.publicPart);
    writer.bytes(parts.privateHash);
  }
  writer.bytes(signature);
  return writer.finish();
}
