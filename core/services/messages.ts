import type { SchemaTypes } from '../../schemas/types.ts';
import { guardedToken } from '../platform/token.ts';
import type { Payloads } from '../protocol/envelopes/payloads/payloads.ts';

/**
 * The payloads that a plugin may send, by message type: everything that is not a step of a deal, which `Deals` takes, and not the BEACON,
 * which the node sends by itself. A BOUNTY names the conversation that it is sent in.
 */
export interface Sayings
  extends Pick<Payloads, 'MESSAGE' | 'ADVERTISE' | 'DISCOVER' | 'BROADCAST' | 'NOTARIZE_BID' | 'NOTARIZE_ASSIGN'> {
  readonly BOUNTY: Omit<Payloads['BOUNTY'], 'conversation_id'>;
}

export interface SendOptions {
  /** The agent it goes to, base58; needed for MESSAGE and NOTARIZE_ASSIGN, and refused for what goes to everybody. */
  readonly recipient?: string | undefined;
  /** 32 hex digits; a fresh conversation unless given. */
  readonly conversationId?: string | undefined;
  /** Only the recipient can read it; of a MESSAGE alone. */
  readonly sealed?: boolean | undefined;
  /**
   * 1 to 64 printable ASCII characters. Sent once, however often it is called with this id within 24 hours, over restarts too: a handler
   * that answers an envelope gives the envelope's `id`.
   */
  readonly operationId?: string | undefined;
}

/**
 * `queued`: not delivered yet, and tried again; `delivered`: the recipient has it on disk; `broadcast`: handed to a hub, which
 * nobody acknowledges; `refused`: the recipient takes it never; `expired`: too old for anybody to take.
 */
export type MessageStatus = SchemaTypes['sent']['status'];

export interface SentMessage {
  /** The envelope's id, 64 hex digits. */
  readonly id: string;
  readonly conversationId: string;
  readonly nonce: number;
  /** Of the envelope, 64 hex digits. */
  readonly payloadHash: string;
  /** After the first attempt, or after two seconds. */
  readonly status: MessageStatus;
}

/**
 * Sends messages signed by this agent. A message that may not be sent rejects with a `MeshError`: `invalid_request` with the member at
 * fault, `rate_limited` beyond 600 messages of this plugin in 60 seconds or while 100,000 envelopes wait to be delivered,
 * and the errors of a node that may not sign now. Needs the permission `messages:send`.
 */
export interface Messages {
  /** Resolves when it is signed and on disk; `status` says how far it came since. */
  send<N extends keyof Sayings>(type: N, payload: Sayings[N], options?: SendOptions): Promise<SentMessage>;
  /** The status of an envelope of this agent by now; undefined when there is none, or it is older than 12 days. */
  status(id: string): Promise<MessageStatus | undefined>;
}
export const Messages = guardedToken<Messages>('messages', 'messages:send');
