import type { Network } from '../identity/network.ts';
import { SIGNATURE_LENGTH, verify } from '../identity/verify.ts';
import { CborReader } from './cbor-reader.ts';
import { CborWriter } from './cbor-writer.ts';
import { type Decoded, decoded, refused } from './decoded.ts';
import type { Envelope, Receipt, SignedHeader } from './envelope.ts';
import { encodeHeader, readHeader, writeHeader } from './header.ts';
import { envelopeSigningBytes } from './signing.ts';

/** The header and signature of an envelope. Throws for version 1, whose signature proves nothing without the payload. */
export function receiptOf(envelope: Envelope): Receipt {
  if (envelope.version !== 2) throw new TypeError('version 1 has no receipts');
  const { payload: _, ...header } = envelope;
  return { ...header, version: 2 };
}

/** A CBOR array of the ten header items and the signature. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const writer = new CborWriter();
  writer.array(11);
  writeHeader(writer, receipt);
  writer.bytes(receipt.signature);
  return writer.finish();
}

/** The receipt of an envelope, encoded without being made first. Throws for version 1. */
export function receiptBytesOf(signed: SignedHeader): Uint8Array {
  if (signed.version !== 2) throw new TypeError('version 1 has no receipts');
  return encodeReceipt(signed as Receipt);
}

/** As strict as `decodeEnvelope`. Nothing is verified yet. */
export function decodeReceipt(bytes: Uint8Array): Decoded<Receipt> {
  const reader = new CborReader(bytes);
  reader.array(11, 'the receipt');
  const header = readHeader(reader);
  const signature = reader.bytes(SIGNATURE_LENGTH, 'signature');
  const problem = reader.end();
  if (problem !== undefined || !header) return refused(problem ?? 'no header');
  if (header.version !== 2) return refused('version 1 has no receipts');
  return decoded(Object.assign(header, { version: 2 as const, signature }));
}

/** Whether the sender's key signed this header on this network. */
export function verifyReceipt(receipt: Receipt, network: Network): boolean {
  if (network.version !== 2) return false;
  const bytes = envelopeSigningBytes(network, encodeHeader(receipt), new Uint8Array(0));
  return verify(bytes, receipt.signature, receipt.sender);
}
