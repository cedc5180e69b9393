import type { SendHook } from '../../messaging/outgoing.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { isDealMessage } from './deal-events.ts';
import { dealSendHook } from './deal-rules.ts';

/** The change to the node's deals that sending this message makes; undefined for ratings and outside of deals. */
export function sendHookOf(payload: TypedPayload, conversation: string, named?: string): SendHook | undefined {
  return isDealMessage(payload.msgType) ? dealSendHook(conversation, payload, named) : undefined;
}
