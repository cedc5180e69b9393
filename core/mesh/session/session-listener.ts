import type { Clock, Random } from '../../platform/clock.ts';
import type { Ack, AckReason } from '../ack.ts';
import type { Welcome } from '../frames/frames.ts';
import type { RelayFrame } from '../frames/relay-frames.ts';
import type { MeshLimits } from '../limits.ts';
import type { PeerIdentity, ProcessKey } from './certificate.ts';
import type { ChannelFault } from './channel.ts';
import type { Session } from './session.ts';

/** Which part of the protocol the other side broke, or how it failed to keep up. */
export type SessionFault = ChannelFault | 'frame' | 'flood' | 'silent' | 'slow';

/** A session calls the listener of whoever opened it. No call may throw or reject, except where it says so. */
export interface SessionListener {
  /** The welcome for a peer whose key is now proven, or the reason to refuse that peer. */
  greet(peer: PeerIdentity): Promise<Welcome | { readonly refuse: string }>;
  /** The other side has introduced itself: envelopes may be sent. */
  opened(session: Session): void;
  /** Called in the order of arrival; the answers go out in that order too. */
  envelope(envelope: Uint8Array, session: Session): Promise<Ack | AckReason>;
  broadcast(envelope: Uint8Array, topic: string, session: Session): void;
  subscribed(topics: readonly string[], session: Session): void;
  unsubscribed(topics: readonly string[], session: Session): void;
  /** False when the frame was of no use; may throw a FrameError, which ends the session. */
  relay(frame: RelayFrame, session: Session): boolean;
  /** An envelope or broadcast was over the rate and dropped; an envelope's sender was told. */
  limited(session: Session): void;
  /** Called exactly once, last. */
  closed(reason: string, fault: SessionFault | undefined, session: Session): void;
}

export interface SessionOptions {
  readonly processKey: ProcessKey;
  readonly prologue: Uint8Array;
  readonly expectedKey?: Uint8Array | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: MeshLimits;
}
