import { isZero } from '../platform/bytes.ts';
import type { Envelope } from '../protocol/envelopes/envelope.ts';
import type { MessageName } from '../protocol/envelopes/message-types.ts';
import type { Payloads, TypedPayload } from '../protocol/envelopes/payloads/payloads.ts';
import { formatAgentId, formatConversationId } from '../protocol/identity/ids.ts';
import type { Inbound } from './inbound.ts';

/** The members of every verified envelope, whatever its type. */
interface EnvelopeHead {
  /** The envelope's id, 64 hex digits: the same however often it is handed over. */
  readonly id: string;
  /** The key that signed it, base58. */
  readonly sender: string;
  /** Whom it was sent to, base58; null when it was sent to everybody. */
  readonly recipient: string | null;
  /** 32 hex digits; zeros outside of conversations. */
  readonly conversationId: string;
  /** When its sender says it was signed, Unix milliseconds. */
  readonly sentAt: number;
  /** The newest ledger slot that its sender knew; 0 if none. */
  readonly slot: number;
  readonly nonce: number;
  /** Whether it came encrypted. The payload is opened already. */
  readonly sealed: boolean;
}

/**
 * An envelope as plugins read it: its signature, recipient, time and nonce are verified, and its payload is decoded. A switch on
 * `type` tells the type of `payload`. Amounts (`…_micro`) are bigints of minor units.
 */
export type ReceivedEnvelope<N extends MessageName = MessageName> = N extends MessageName
  ? EnvelopeHead & { readonly type: N; readonly payload: Payloads[N] }
  : never;

export function receivedEnvelope(id: string, envelope: Envelope, { msgType, value }: TypedPayload): ReceivedEnvelope {
  const head: EnvelopeHead = {
    id,
    sender: formatAgentId(envelope.sender),
    recipient: isZero(envelope.recipient) ? null : formatAgentId(envelope.recipient),
    conversationId: formatConversationId(envelope.conversationId),
    sentAt: Math.floor(envelope.timestamp / 1_000),
    slot: envelope.blockRef,
    nonce: envelope.nonce,
    sealed: envelope.sealed,
  };
  return { ...head, type: msgType, payload: value } as ReceivedEnvelope;
}

export function receivedInbound({ id, envelope, payload }: Inbound): ReceivedEnvelope {
  return receivedEnvelope(id, envelope, payload);
}
