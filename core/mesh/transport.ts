/**
 * The transport: pipes of whole binary messages between two processes. The mesh (core/mesh) proves the peer's key,
 * encrypts, frames, acknowledges and relays, in the same way over every transport.
 */
export interface Transport {
  readonly name: string;
  /** URL schemes this transport dials, such as `ws:` and `wss:`. */
  readonly schemes: readonly string[];
  /** Whether its URLs name hosts, which may lead anywhere. */
  readonly namesHosts?: boolean;
  /**
   * Opens a pipe; rejects with a plain sentence when the other side cannot be reached within `signal`. With `addresses`,
   * the URL's host is not looked up: it is dialled at one of these.
   */
  dial(url: string, signal: AbortSignal, addresses?: readonly string[]): Promise<Link>;
  /** Called for every pipe opened by the other side. Set once, before the node listens. */
  accept(handler: (link: Link) => void): void;
  close(): Promise<void>;
}

/** One pipe. Messages arrive whole and in order, or the link closes. */
export interface Link {
  /** Where it leads, for logs and limits: the peer's address or the dialled URL. Proves nothing. */
  readonly remote: string;
  /** Whether this side dialled. */
  readonly dialled: boolean;
  /** Whether it leads over a hub; a direct link is better. */
  readonly relayed?: boolean;
  /** Bytes accepted by `send` that have not left yet. */
  readonly buffered: number;
  /** Queues one message of at most MAX_MESSAGE bytes. Does nothing once closed. */
  send(message: Uint8Array): void;
  /**
   * Sets who gets the messages. Messages that arrived before are kept (up to MAX_BACKLOG bytes, then the link closes)
   * and handed over first, so a listener set after an await loses nothing.
   */
  receive(listener: LinkListener): void;
  /** Stops reading from the other side until `resume`; this is the back-pressure of a slow consumer. */
  pause(): void;
  resume(): void;
  /** Sends what is queued, then closes; `reason` is at most 100 bytes of text and may be shown to the other side. */
  close(reason?: string): void;
  /** Drops the pipe at once. */
  destroy(): void;
}

export interface LinkListener {
  message(message: Uint8Array): void;
  /** The queue fell below the low-water mark after `buffered` had been above the high-water mark. */
  drain(): void;
  /** Called exactly once, also when the link was already closed at `receive`. */
  closed(reason: string, fault?: LinkFault): void;
}

/** The other side sent what is no message of a link: text, more than MAX_MESSAGE, or a broken frame. */
export type LinkFault = 'message';

/** 132 KiB: two envelopes of the largest size with their frames. */
export const MAX_MESSAGE = 132 * 1024;
export const MAX_BACKLOG = 256 * 1024;
export const HIGH_WATER = 1024 * 1024;
export const LOW_WATER = 256 * 1024;

/** The WebSocket address of the mesh behind an HTTP address. */
export function meshUrl(base: string): string {
  return `${base.replace(/^http/, 'ws').replace(/\/$/, '')}/mesh`;
}
