import type { SchemaTypes } from '../../../schemas/types.ts';
import { fromBase64 } from '../../bytes.ts';
import type { MessageName } from '../../envelopes/message-types.ts';
import { codecOf } from '../../envelopes/payloads/codecs.ts';
import type { TypedPayload } from '../../envelopes/payloads/payloads.ts';
import { invalidField } from '../../errors.ts';
import type { EnvelopeVersion } from '../../identity/network.ts';

/** What a request wants to say: JSON, or the payload's bytes. */
export function bodyOfRequest(request: SchemaTypes['send-request']): object | Uint8Array {
  const { payload, payload_b64 } = request;
  if (payload !== undefined && payload_b64 !== undefined) {
    throw invalidField('/payload_b64', 'cannot be given together with payload');
  }
  if (payload_b64 === undefined) return payload ?? {};
  const bytes = fromBase64(payload_b64);
  if (!bytes) throw invalidField('/payload_b64', 'is not base64');
  return bytes;
}

/** The payload as bytes and as value; what its type does not allow is refused with the field. */
export function parsePayload(
  msgType: MessageName,
  version: EnvelopeVersion,
  given: object | Uint8Array,
  sender: Uint8Array,
  at = given instanceof Uint8Array ? '/payload_b64' : '/payload',
): { readonly bytes: Uint8Array; readonly typed: TypedPayload } {
  const codec = codecOf<MessageName>(msgType, version);
  const bytes = given instanceof Uint8Array;
  const found = bytes ? codec.decode(given, sender) : codec.parse(given);
  if (!found.ok) {
    const [, member = '', problem = found.reason] = /^(\/\S+) (.+)$/s.exec(found.reason) ?? [];
    throw invalidField(bytes ? at : at + member, bytes ? found.reason : problem);
  }
  return {
    bytes: bytes ? given : codec.encode(found.value, sender),
    typed: { msgType, value: found.value } as TypedPayload,
  };
}
