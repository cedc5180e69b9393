import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField } from '../../contracts/errors.ts';
import { isTopic } from '../../mesh/frames/frames.ts';
import { fromBase64 } from '../../platform/bytes.ts';
import type { MessageName } from '../../protocol/envelopes/message-types.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import type { Payloads, TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { isOpenTopic } from '../../protocol/envelopes/topics.ts';
import type { EnvelopeVersion } from '../../protocol/identity/network.ts';

/** The payload of a request, as JSON or as bytes; refused where both are given. */
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

/** The payload as bytes and as value; a field that its type does not allow is refused by name. */
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
    // Bytes have no place that a pointer could name.
    throw invalidField(bytes ? at : at + member, bytes && member ? `its ${member.slice(1)} ${problem}` : problem);
  }
  return {
    bytes: bytes ? given : codec.encode(found.value, sender),
    typed: { msgType, value: found.value } as TypedPayload,
  };
}

/** The value of a typed route's body; what its type does not allow is refused with the field of the body. */
export function payloadOf<N extends MessageName>(msgType: N, version: EnvelopeVersion, given: object): Payloads[N] {
  const found = codecOf(msgType, version).parse(given);
  if (found.ok) return found.value;
  const [pointer = '', ...message] = found.reason.split(' ');
  throw invalidField(pointer === '/' ? '' : pointer, message.join(' '));
}

const DAY_SECS = 86_400;

/** A BOUNTY with the defaults for omitted fields: open for a day, in the conversation of its envelope. */
export function bountyOf(given: object, conversation: string): object {
  const { deadline_secs, conversation_id, task_summary, ...rest } = given as Partial<Payloads['BOUNTY']>;
  return {
    ...rest,
    task_summary: task_summary ?? '',
    deadline_secs: deadline_secs ?? DAY_SECS,
    conversation_id: conversation_id ?? conversation,
  };
}

/** Refuses a BROADCAST of a topic that the mesh cannot carry, or that is the topic of other types. */
export function checkTopic({ msgType, value }: TypedPayload): void {
  if (msgType !== 'BROADCAST') return;
  const { topic } = value;
  if (!isTopic(topic)) throw invalidField('/payload/topic', 'has more than 64 bytes, or control characters');
  if (!isOpenTopic(topic)) throw invalidField('/payload/topic', 'is the topic of other message types: name another');
}
