import type { Purpose } from '../../messaging/outgoing.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { isDealMessage } from './deal-events.ts';
import { dealPurpose } from './deal-rules.ts';

/** What sending this message does to the deals of the node; nothing for messages outside of deals, and for ratings. */
export function purposeOf(payload: TypedPayload, conversation: string): Purpose | undefined {
  return isDealMessage(payload.msgType) ? dealPurpose(conversation, payload) : undefined;
}
