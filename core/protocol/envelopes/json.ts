import type { SchemaTypes } from '../../../schemas/types.ts';
import { isZero, toBase64, toHex } from '../../platform/bytes.ts';
import { formatAgentId } from '../identity/ids.ts';
import { bodyOf, type Envelope, isSalted, publicPartOf, type Receipt, type SignedHeader, saltOf } from './envelope.ts';
import { envelopeId } from './header.ts';

type SignedHeaderJson = Omit<SchemaTypes['envelope-json'], 'salt' | 'payload_b64' | 'public'>;

/** An envelope as the API shows it. Nothing is lost: the signed bytes can be rebuilt. */
export function envelopeJson(envelope: Envelope): SchemaTypes['envelope-json'] {
  return {
    ...signedHeaderJson(envelope),
    ...publicJson(envelope),
    ...(isSalted(envelope) ? { salt: toHex(saltOf(envelope)) } : {}),
    payload_b64: toBase64(bodyOf(envelope)),
  };
}

export function receiptJson(receipt: Receipt): SchemaTypes['receipt-json'] {
  const { parts } = receipt;
  return {
    ...signedHeaderJson(receipt),
    version: 2,
    ...(parts && { ...publicJson(receipt), private_hash: toHex(parts.privateHash) }),
  };
}

function publicJson(signed: Envelope | Receipt): { public?: SchemaTypes['public-part'] } {
  const part = publicPartOf(signed);
  if (!part) return {};
  return { public: { payer: formatAgentId(part.payer), answers: part.answers ? toHex(part.answers) : null } };
}

/** ISO 8601 with the microseconds that a Date would lose. */
export function formatMicros(timestamp: number): string {
  const micros = String(timestamp % 1000).padStart(3, '0');
  return new Date(Math.floor(timestamp / 1000)).toISOString().replace('Z', `${micros}Z`);
}

function signedHeaderJson(header: SignedHeader): SignedHeaderJson {
  return {
    id: toHex(envelopeId(header)),
    version: header.version,
    msg_type: header.msgType,
    sealed: header.sealed,
    sender: formatAgentId(header.sender),
    recipient: isZero(header.recipient) ? null : formatAgentId(header.recipient),
    timestamp: formatMicros(header.timestamp),
    block_ref: header.blockRef,
    nonce: header.nonce,
    conversation_id: toHex(header.conversationId),
    payload_hash: toHex(header.payloadHash),
    payload_len: header.payloadLength,
    signature_b64: toBase64(header.signature),
  };
}
