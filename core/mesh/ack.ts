import type { Ack } from '../protocol/envelopes/ack.ts';

export { ACK_REASONS, type Ack, type AckReason, MAX_EVIDENCE } from '../protocol/envelopes/ack.ts';

/** How a single send over a session ended. It never throws: whoever keeps the outbox decides what to do next. */
export type SendOutcome =
  | ({ readonly outcome: 'acked' } & Ack)
  /** The queue to this peer is full; nothing was queued. */
  | { readonly outcome: 'busy' }
  /** It never left this process. */
  | { readonly outcome: 'unreachable' }
  /** It left, and the session ended before the answer came. Sending it again is safe. */
  | { readonly outcome: 'unknown' };
