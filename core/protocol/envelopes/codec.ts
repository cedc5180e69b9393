import { type Decoded, decoded, refused } from '../../platform/decoded.ts';
import { SIGNATURE_LENGTH } from '../identity/verify.ts';
import { CborReader } from './cbor-reader.ts';
import { CborWriter } from './cbor-writer.ts';
import { type Envelope, MAX_ENVELOPE } from './envelope.ts';
import { readHeader, writeHeader } from './header.ts';
import { hasPublicPart, publicLengthOf, publicPartProblem } from './public-part.ts';

/** More than the items around the payload ever take. */
export const MOST_AROUND_PAYLOAD = 320;

/** The wire form: a CBOR array of the ten header items, the payload and the signature. */
export function encodeEnvelope(envelope: Envelope): Uint8Array {
  const writer = new CborWriter(MOST_AROUND_PAYLOAD + envelope.payload.length);
  writer.array(12);
  writeHeader(writer, envelope);
  writer.bytes(envelope.payload);
  writer.bytes(envelope.signature);
  return writer.finish();
}

/**
 * Reads an envelope of either version. There is one encoding of each: bytes that `encodeEnvelope` would not write are
 * refused, so equal envelopes are equal bytes. Nothing is verified yet. The byte fields are views of `bytes`, which
 * must not change afterwards; copy fields that outlive the envelope.
 */
export function decodeEnvelope(bytes: Uint8Array): Decoded<Envelope> {
  return looked?.bytes === bytes ? looked.envelope : decode(bytes);
}

/**
 * As `decodeEnvelope`, for a look at an envelope before it is handed on: the next call with these bytes gets the same
 * result.
 */
export function lookAtEnvelope(bytes: Uint8Array): Decoded<Envelope> {
  const envelope = decodeEnvelope(bytes);
  looked = { bytes, envelope };
  return envelope;
}

/** One is enough, because it is handed on at once. */
let looked: { readonly bytes: Uint8Array; readonly envelope: Decoded<Envelope> } | undefined;

function decode(bytes: Uint8Array): Decoded<Envelope> {
  if (bytes.length > MAX_ENVELOPE) return refused(`an envelope has at most ${MAX_ENVELOPE} bytes`);
  const reader = new CborReader(bytes);
  reader.array(12, 'the envelope');
  const header = readHeader(reader);
  const payload = reader.bytesUpTo(MAX_ENVELOPE, 'payload');
  const signature = reader.bytes(SIGNATURE_LENGTH, 'signature');
  const problem = reader.end();
  if (problem !== undefined || !header) return refused(problem ?? 'no header');
  if (payload.length !== header.payloadLength) return refused('payload_len is not the length of the payload');
  if (hasPublicPart(header)) {
    const wrong = publicPartProblem(payload.subarray(0, publicLengthOf(header)), header);
    if (wrong !== undefined) return refused(wrong);
  }
  // Not a spread: copying this many members is slower than everything above.
  return decoded(Object.assign(header, { payload, signature }));
}
