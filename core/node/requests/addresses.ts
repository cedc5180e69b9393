import { invalidField } from '../../contracts/errors.ts';
import { isZero } from '../../platform/bytes.ts';
import type { Random } from '../../platform/clock.ts';
import { isBroadcast } from '../../protocol/envelopes/message-types.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { CONVERSATION_LENGTH, formatAgentId, parseAgentId, parseConversationId } from '../../protocol/identity/ids.ts';
import { isForgeable } from '../../protocol/identity/points.ts';

/**
 * The key of whom an envelope goes to; undefined when it goes to everybody. Clients fill the recipient of broadcasts with
 * zeros, and that of FEEDBACK with whom it rates.
 */
export function recipientOf(text: string | null | undefined, payload: TypedPayload): Uint8Array | undefined {
  const key = text == null ? undefined : parseAgentId(text);
  if (text == null || (key && isZero(key) && isBroadcast(payload.msgType))) return undefined;
  const recipient = agentOf(text, '/recipient');
  if (payload.msgType !== 'FEEDBACK') return recipient;
  if (formatAgentId(recipient) !== payload.value.target_agent)
    throw invalidField('/recipient', 'is not whom the payload rates');
  return undefined;
}

export function agentOf(text: string, pointer: string): Uint8Array {
  const key = parseAgentId(text);
  if (!key) throw invalidField(pointer, 'is not an agent id: 32 bytes in base58, or 64 hex digits');
  if (isZero(key)) throw invalidField(pointer, 'is all zeros, which is nobody: name an agent');
  if (isForgeable(key)) throw invalidField(pointer, 'is no key that an agent can have: anybody could sign for it');
  return key;
}

/** The agent id of a request in its one form, base58. */
export function agentIdOf(text: string, pointer: string): string {
  return formatAgentId(agentOf(text, pointer));
}

/** The conversation a request names, or a fresh one. */
export function conversationOf(text: string | null | undefined, random: Random): Uint8Array {
  const given = text == null ? undefined : parseConversationId(text);
  if (given && isZero(given)) {
    throw invalidField('/conversation_id', 'is all zeros, which is no conversation: leave it out for a fresh one');
  }
  return given ?? random.bytes(CONVERSATION_LENGTH);
}

/** The same for a message that may itself name a conversation: then it is that one. */
export function conversationOfMessage(
  text: string | null | undefined,
  { msgType, value }: TypedPayload,
  random: Random,
): Uint8Array {
  if (msgType !== 'DELIVER' && msgType !== 'FEEDBACK' && msgType !== 'NOTARIZE_BID' && msgType !== 'BOUNTY')
    return conversationOf(text, random);
  if (text == null || text.toLowerCase() === value.conversation_id) return parseConversationId(value.conversation_id)!;
  throw invalidField('/conversation_id', 'is not the conversation that the payload names');
}
