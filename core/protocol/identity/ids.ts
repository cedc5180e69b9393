import bs58 from 'bs58';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { binaryString, fromHex, toHex } from '../../platform/bytes.ts';

export const KEY_LENGTH = 32;
export const CONVERSATION_LENGTH = 16;
export const ENVELOPE_ID_LENGTH = 32;

/** The recipient of a broadcast, and no conversation. */
export const NO_AGENT: Uint8Array = new Uint8Array(KEY_LENGTH);
export const NO_CONVERSATION: Uint8Array = new Uint8Array(CONVERSATION_LENGTH);

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const formatted = new BoundedMap<string, string>(10_000);
const parsed = new BoundedMap<string, Uint8Array>(10_000);

/** The 32 bytes of an agent id or key, given in base58 or as 64 hex digits; undefined when it is neither. */
export function parseAgentId(text: string): Uint8Array | undefined {
  if (text.length === 2 * KEY_LENGTH) return fromHex(text, KEY_LENGTH);
  return fromBase58(text)?.slice();
}

/** The remembered bytes: whoever gives them away copies them. */
function fromBase58(text: string): Uint8Array | undefined {
  if (!BASE58.test(text)) return undefined;
  const known = parsed.get(text);
  if (known) return known;
  const bytes = bs58.decodeUnsafe(text);
  if (bytes?.length !== KEY_LENGTH) return undefined;
  const id = new Uint8Array(bytes);
  parsed.set(text, id);
  return id;
}

/** Base58, the one form in which an id leaves the system. */
export function formatAgentId(id: Uint8Array): string {
  const key = binaryString(id);
  const known = formatted.get(key);
  if (known !== undefined) return known;
  if (id.length !== KEY_LENGTH) throw new RangeError(`an agent id is 32 bytes, not ${id.length}`);
  const text = bs58.encode(id);
  formatted.set(key, text);
  return text;
}

/** The base58 form of an id given in either form. The edge of the system passes every id that comes in through it. */
export function normaliseAgentId(text: string): string | undefined {
  const hex = text.length === 2 * KEY_LENGTH ? fromHex(text, KEY_LENGTH) : undefined;
  if (hex) return formatAgentId(hex);
  // Base58 writes every value in one way only.
  return fromBase58(text) && text;
}

export function parseConversationId(text: string): Uint8Array | undefined {
  return fromHex(text, CONVERSATION_LENGTH);
}

export function formatConversationId(id: Uint8Array): string {
  return toHex(id);
}

export function formatEnvelopeId(id: Uint8Array): string {
  return toHex(id);
}
