import { type Decoded, decoded, refused } from '../../platform/decoded.ts';
import type { Network } from '../identity/network.ts';
import { SIGNATURE_LENGTH, verify } from '../identity/verify.ts';
import { CborReader } from './cbor-reader.ts';
import { CborWriter } from './cbor-writer.ts';
import type { Envelope, Header, Receipt, SignedHeader } from './envelope.ts';
import { encodeHeader, readHeader, writeHeader } from './header.ts';
import {
  hasPublicPart,
  partsMatch,
  partsOf,
  publicLengthOf,
  publicPartProblem,
  type ShownParts,
} from './public-part.ts';
import { envelopeSigningBytes } from './signing.ts';

const HASH_LENGTH = 32;
/** The first byte of the receipt of a deal message, and of any other. An envelope is an array of 12. */
const SHOWN_HEAD = 0x8d;
const PROOF_HEAD = 0x8b;
export const RECEIPT_HEADS: readonly number[] = [PROOF_HEAD, SHOWN_HEAD];

/**
 * Header and signature of an envelope, and of a deal message its public part. A CBOR array of the ten header items and the signature;
 * where parts are shown, of 13: between them the public part and the hash of the private one. Throws for version 1, whose
 * signature proves nothing without the payload.
 */
export function receiptBytesOf(envelope: Envelope): Uint8Array {
  return write(requireProof(envelope), hasPublicPart(envelope) ? partsOf(envelope, envelope.payload) : undefined);
}

/** Header and signature alone, an array of 11: enough to prove which envelope used a nonce. Throws for version 1. */
export function proofBytesOf(signed: SignedHeader): Uint8Array {
  return write(requireProof(signed), undefined);
}

function write(signed: SignedHeader, parts: ShownParts | undefined): Uint8Array {
  const writer = new CborWriter(384);
  writer.array(parts ? 13 : 11);
  writeHeader(writer, signed);
  if (parts) {
    writer.bytes(parts.publicPart);
    writer.bytes(parts.privateHash);
  }
  writer.bytes(signed.signature);
  return writer.finish();
}

function requireProof(signed: SignedHeader): SignedHeader {
  if (signed.version !== 2) throw new TypeError('version 1 has no receipts');
  return signed;
}

/** As strict as `decodeEnvelope`. Nothing is verified yet. */
export function decodeReceipt(bytes: Uint8Array): Decoded<Receipt> {
  const reader = new CborReader(bytes);
  const shown = bytes[0] === SHOWN_HEAD;
  reader.array(shown ? 13 : 11, 'the receipt');
  const header = readHeader(reader);
  const parts = shown && header ? readParts(reader, header) : undefined;
  const signature = reader.bytes(SIGNATURE_LENGTH, 'signature');
  const problem = reader.end();
  if (problem !== undefined || !header) return refused(problem ?? 'no header');
  if (header.version !== 2) return refused('version 1 has no receipts');
  return decoded(Object.assign(header, { version: 2 as const, signature }, parts && { parts }));
}

function readParts(reader: CborReader, header: Header): ShownParts | undefined {
  if (!hasPublicPart(header)) return reader.refuse(`a ${header.msgType} has no public part`);
  const publicPart = reader.bytes(publicLengthOf(header), 'the public part');
  const privateHash = reader.bytes(HASH_LENGTH, 'the hash of the private part');
  const wrong = reader.problem ?? publicPartProblem(publicPart, header);
  return wrong === undefined ? { publicPart, privateHash } : reader.refuse(wrong);
}

/** Whether the parts that a receipt shows have the payload hash; true for a receipt that shows none. */
export function shownMatches({ parts, payloadHash }: Receipt): boolean {
  return parts === undefined || partsMatch(parts, payloadHash);
}

/** Whether the sender's key signed this header on this network, and the shown parts belong to it. */
export function verifyReceipt(receipt: Receipt, network: Network): boolean {
  if (network.version !== 2 || !shownMatches(receipt)) return false;
  const bytes = envelopeSigningBytes(network, encodeHeader(receipt), new Uint8Array(0));
  return verify(bytes, receipt.signature, receipt.sender);
}
