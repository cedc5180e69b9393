import type { ReceivedEnvelope } from '../messaging/received-envelope.ts';
import { guardedToken } from '../platform/token.ts';

/** A message as it stands in the inbox; a switch on `type` tells the type of `payload`. */
export type InboxMessage = ReceivedEnvelope & {
  /** Its number in the inbox, which pages and `follow` go on from. */
  readonly cursor: number;
};

export interface InboxQuery {
  /** Only what stands behind this cursor; from the oldest on unless given. */
  readonly after?: number | undefined;
  /** 1 to 200; 50 unless given. */
  readonly limit?: number | undefined;
  /** 32 hex digits: only what was said in this conversation. */
  readonly conversationId?: string | undefined;
}

export interface InboxPage {
  /** Oldest first. */
  readonly messages: readonly InboxMessage[];
  /** Give it as `after` to go on. */
  readonly next: number;
}

/**
 * Reads what this agent received and has not acknowledged yet; a message that the agent is done with is gone from here. Reading
 * acknowledges nothing. A plugin that must see every message handles `envelopes` instead. Needs the permission `messages:read`.
 */
export interface Inbox {
  page(query?: InboxQuery): Promise<InboxPage>;
  /**
   * Messages behind a cursor, oldest first, then new ones, until the signal is aborted. Without a cursor only new ones.
   * The reader is never hurried: what waits for it stays in the store.
   */
  follow(signal: AbortSignal, after?: number): AsyncGenerator<InboxMessage, void>;
}
export const Inbox = guardedToken<Inbox>('inbox', 'messages:read');
