import type { Purpose } from '../../messaging/outgoing.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { isDealMessage } from './deal-events.ts';
import { dealPurpose } from './deal-rules.ts';

/** The change to the node's deals that sending this message makes; undefined for ratings and outside of deals. */
export function purposeOf(payload: TypedPayload, conversation: string): Purpose | undefined {
  return isDealMessage(payload.msgType) ? dealPurpose(conversation, payload) : undefined;
}
