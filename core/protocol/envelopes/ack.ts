/**
 * The answer of a receiver to an envelope. `accepted` means it is durable there; every other reason means that this
 * receiver will not act on it:
 *
 * - `duplicate`: it was accepted before, which to the sender is as good as accepted
 * - `conflict`: another envelope used the same key and nonce; the evidence holds that one's header and signature
 * - `invalid`: it breaks a rule of the protocol and always will
 * - `blocked`: the receiver does not want this sender
 * - `rate-limited`: nothing was kept; send it again later
 * - `restricted`: the sender lacks what the receiver asks for, such as a registration
 * - `expired`: its time has passed
 */
export type AckReason = (typeof ACK_REASONS)[number];

/** The position is the code on the wire. */
export const ACK_REASONS = [
  'accepted',
  'duplicate',
  'conflict',
  'invalid',
  'blocked',
  'rate-limited',
  'restricted',
  'expired',
] as const;

export interface Ack {
  readonly reason: AckReason;
  /** With `conflict` only: header and signature of the envelope held, at most MAX_EVIDENCE bytes. */
  readonly evidence?: Uint8Array;
}

export const MAX_EVIDENCE = 255;
