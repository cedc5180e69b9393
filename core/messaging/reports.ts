import type { SchemaTypes } from '../../schemas/types.ts';
import { toBase64 } from '../platform/bytes.ts';
import { encodeEnvelope } from '../protocol/envelopes/codec.ts';
import type { Envelope } from '../protocol/envelopes/envelope.ts';
import { isPrivate, type MessageName } from '../protocol/envelopes/message-types.ts';
import { receiptBytesOf } from '../protocol/envelopes/receipt.ts';

/**
 * Aggregators get the receipts of private messages. With `offers` they get unsealed PROPOSE, COUNTER and ACCEPT whole,
 * so that they can tell whether a lock is the agreed one.
 */
export type ReportRule = 'receipts' | 'offers';

const OFFERS: ReadonlySet<MessageName> = new Set(['PROPOSE', 'COUNTER', 'ACCEPT']);

/** The report of an envelope: the receipt of a sealed or private one of version 2, the envelope itself of any other. */
export function reportOf(envelope: Envelope, rule: ReportRule = 'receipts'): SchemaTypes['report'] {
  const isKept = isPrivate(envelope.msgType) && !(rule === 'offers' && OFFERS.has(envelope.msgType));
  const receipt = envelope.version === 2 && (envelope.sealed || isKept);
  return !receipt
    ? { envelope_b64: toBase64(encodeEnvelope(envelope)) }
    : { receipt_b64: toBase64(receiptBytesOf(envelope)) };
}
