import type { PublicRecord } from '../../messaging/extension-points.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import type { Signed } from './signed.ts';

/** A verified item as plugins read it. `isNew` is asked while the transaction runs. */
export function publicRecord(item: Signed, payload: TypedPayload | undefined, isNew: () => boolean): PublicRecord {
  return {
    id: item.id,
    type: item.msgType,
    sender: item.sender,
    recipient: item.recipient ?? null,
    conversationId: item.conversation ?? null,
    sentAt: item.at,
    slot: item.slot,
    nonce: item.nonce,
    ...(payload && { payload: payload.value }),
    get isNew() {
      return isNew();
    },
  } as PublicRecord;
}
