import type { EnvelopeVersion } from '../identity/network.ts';
import { isBroadcast, type MessageName } from './message-types.ts';
import { hasPublicPart, type PublicPart, publicLengthOf, readPublicPart, type ShownParts } from './public-part.ts';

/** The largest encoded envelope, in bytes. */
export const MAX_ENVELOPE = 65_536;
export const SALT_LENGTH = 16;

/** The signed header of an envelope. Byte fields of a decoded header are views of the bytes it came from. */
export interface Header {
  readonly version: EnvelopeVersion;
  readonly msgType: MessageName;
  /** The body is encrypted to the recipient. Version 2, bilateral types only. */
  readonly sealed: boolean;
  /** 32 bytes: the key that signed, which may belong to an agent with another id. */
  readonly sender: Uint8Array;
  /** 32 bytes, all zero for broadcasts. */
  readonly recipient: Uint8Array;
  /** Microseconds since the Unix epoch by the sender's clock. Like every integer here below 2^53. */
  readonly timestamp: number;
  /** The ledger slot the sender knew; 0 if none. */
  readonly blockRef: number;
  /** Epoch and sequence number of the sender's key (version 2), or any rising number (version 1). */
  readonly nonce: number;
  /** 16 bytes, all zero outside of conversations. */
  readonly conversationId: Uint8Array;
  /** 32 bytes: keccak-256 of the payload, salt included; of deal messages in two parts, see `payloadHashOf`. */
  readonly payloadHash: Uint8Array;
  readonly payloadLength: number;
}

export interface SignedHeader extends Header {
  /** 64 bytes; see `envelopeSigningBytes`. */
  readonly signature: Uint8Array;
}

/**
 * Proves that its sender sent an envelope, without showing the contents. Version 2 only. The receipt of a deal
 * message shows its public part as well, unless only the header is to be proved.
 */
export interface Receipt extends SignedHeader {
  readonly version: 2;
  readonly parts?: ShownParts;
}

export interface Envelope extends SignedHeader {
  /** As hashed: the public part of deal messages, 16 random bytes other than in broadcasts (both version 2 only), the body. */
  readonly payload: Uint8Array;
}

/** Whether payloads of this type begin with a salt, so that their hash does not give away a guessable body. */
export function isSalted(header: Pick<Header, 'version' | 'msgType'>): boolean {
  return header.version === 2 && !isBroadcast(header.msgType);
}

/** The body: the payload without public part and salt. */
export function bodyOf(envelope: Envelope): Uint8Array {
  const before = publicLengthOf(envelope) + (isSalted(envelope) ? SALT_LENGTH : 0);
  return before === 0 ? envelope.payload : envelope.payload.subarray(before);
}

/** The public part of an envelope, or of a receipt that shows it; undefined where there is none. */
export function publicPartOf(signed: Envelope | Receipt): PublicPart | undefined {
  if (!hasPublicPart(signed)) return undefined;
  if ('payload' in signed) return readPublicPart(signed.payload.subarray(0, publicLengthOf(signed)));
  return signed.parts && readPublicPart(signed.parts.publicPart);
}
