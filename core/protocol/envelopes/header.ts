import { freshBytes, putUint32, putUint64 } from '../../platform/bytes.ts';
import { HEADER_LENGTH } from '../identity/domains.ts';
import type { CborReader } from './cbor-reader.ts';
import type { CborWriter } from './cbor-writer.ts';
import { type Header, isSalted, MAX_ENVELOPE, SALT_LENGTH } from './envelope.ts';
import { keccak256 } from './keccak.ts';
import { isBroadcast, isSpoken, messageType, messageTypeOfCode } from './message-types.ts';
import { publicLengthOf } from './public-part.ts';

/** Set in the type of a sealed envelope. */
const SEALED = 0x8000;
/** Ephemeral key, nonce and authenticator: a sealed body is never shorter. */
const SEALED_OVERHEAD = 32 + 24 + 16;
const LEAF = new Uint8Array([0]);
/** Every step that handles an envelope asks for its id. */
const ids = new WeakMap<Header, Uint8Array>();

/** The header as signed and hashed: 143 bytes, integers big-endian. */
export function encodeHeader(header: Header): Uint8Array {
  const bytes = freshBytes(HEADER_LENGTH);
  const code = wireCode(header);
  bytes[0] = header.version;
  bytes[1] = code >>> 8;
  bytes[2] = code;
  bytes.set(header.sender, 3);
  bytes.set(header.recipient, 35);
  putUint64(bytes, 67, header.timestamp);
  putUint64(bytes, 75, header.blockRef);
  putUint64(bytes, 83, header.nonce);
  bytes.set(header.conversationId, 91);
  bytes.set(header.payloadHash, 107);
  putUint32(bytes, 139, header.payloadLength);
  return bytes;
}

/**
 * The id of an envelope and of its receipt. Duplicates and traces are found by it, and it is a leaf of the sender's
 * batch.
 */
export function envelopeId(header: Header): Uint8Array {
  return ids.get(header) ?? encodedId(header, encodeHeader(header));
}

/** The same for who has the header as `encodeHeader` gives it. */
export function encodedId(header: Header, encoded: Uint8Array): Uint8Array {
  const known = ids.get(header);
  if (known) return known;
  const id = keccak256(LEAF, encoded);
  ids.set(header, id);
  return id;
}

/** Items 0 to 9 of an envelope or a receipt. */
export function writeHeader(writer: CborWriter, header: Header): void {
  writer.uint(header.version);
  writer.uint(wireCode(header));
  writer.bytes(header.sender);
  writer.bytes(header.recipient);
  writer.uint(header.timestamp);
  writer.uint(header.blockRef);
  writer.uint(header.nonce);
  writer.bytes(header.conversationId);
  writer.bytes(header.payloadHash);
  writer.uint(header.payloadLength);
}

/** Reads items 0 to 9; undefined, with the reader's `problem` set, when they are not those of a header. */
export function readHeader(reader: CborReader): Header | undefined {
  const version = reader.uint(0xff, 'version');
  const code = reader.uint(0xffff, 'msg_type');
  const sender = reader.bytes(32, 'sender');
  const recipient = reader.bytes(32, 'recipient');
  const timestamp = reader.uint(Number.MAX_SAFE_INTEGER, 'timestamp');
  const blockRef = reader.uint(Number.MAX_SAFE_INTEGER, 'block_ref');
  const nonce = reader.uint(Number.MAX_SAFE_INTEGER, 'nonce');
  const conversationId = reader.bytes(16, 'conversation_id');
  const payloadHash = reader.bytes(32, 'payload_hash');
  const payloadLength = reader.uint(MAX_ENVELOPE, 'payload_len');
  if (reader.problem !== undefined) return undefined;
  if (version !== 1 && version !== 2) return reader.refuse(`there is no version ${version}`);
  const sealed = (code & SEALED) !== 0;
  const type = messageTypeOfCode(code & ~SEALED);
  if (!type || !isSpoken(type.name, version)) return reader.refuse(`there is no message type ${code}`);
  const msgType = type.name;
  if (sealed && (version === 1 || isBroadcast(msgType))) return reader.refuse(`${msgType} cannot be sealed`);
  const kind: Pick<Header, 'version' | 'msgType'> = { version, msgType };
  const least = publicLengthOf(kind) + (isSalted(kind) ? SALT_LENGTH : 0) + (sealed ? SEALED_OVERHEAD : 0);
  if (payloadLength < least) return reader.refuse('payload_len is too small for the message type');
  return {
    version,
    msgType,
    sealed,
    sender,
    recipient,
    timestamp,
    blockRef,
    nonce,
    conversationId,
    payloadHash,
    payloadLength,
  };
}

function wireCode(header: Header): number {
  return messageType(header.msgType).code | (header.sealed ? SEALED : 0);
}
