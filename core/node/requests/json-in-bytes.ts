import { invalidField } from '../../contracts/errors.ts';
import type { MessageName } from '../../protocol/envelopes/message-types.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { decodeJson } from '../../protocol/envelopes/payloads/json.ts';
import type { EnvelopeVersion } from '../../protocol/identity/network.ts';

const OPEN_BRACE = 0x7b;

/**
 * The JSON that clients put where a payload's bytes belong; undefined when the bytes are the payload, or nothing that
 * can be read. The content of a DELIVER is anything, so JSON there is content.
 */
export function jsonInBytes(
  msgType: MessageName,
  bytes: Uint8Array,
  version: EnvelopeVersion,
  sender: Uint8Array,
): Record<string, unknown> | undefined {
  if (msgType === 'DELIVER') return undefined;
  // An id is 32 bytes of anything, so JSON passes for one.
  const looksLikeAnId = msgType === 'NOTARIZE_ASSIGN' && bytes[0] === OPEN_BRACE;
  if (!looksLikeAnId && codecOf(msgType, version).decode(bytes, sender).ok) return undefined;
  if (bytes[0] !== OPEN_BRACE) return msgType === 'ACCEPT' ? acceptWithoutOffer(bytes, sender) : undefined;
  const json = decodeJson(bytes);
  if (json.ok) return json.value as Record<string, unknown>;
  if (looksLikeAnId)
    throw invalidField('/payload_b64', 'begins as JSON and is none: name the notary as verifier in payload');
  return undefined;
}

/** An ACCEPT as version 1 writes it. */
function acceptWithoutOffer(bytes: Uint8Array, sender: Uint8Array): Record<string, unknown> | undefined {
  const found = codecOf('ACCEPT', 1).decode(bytes, sender);
  return found.ok ? { ...found.value } : undefined;
}
