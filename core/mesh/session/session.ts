import type { Clock } from '../../platform/clock.ts';
import type { SendOutcome } from '../ack.ts';
import { readFrames } from '../frames/frame-reader.ts';
import { writeFrame } from '../frames/frame-writer.ts';
import { type Frame, FrameError, MAX_CARRIED, type UnknownFrame, type Welcome } from '../frames/frames.ts';
import { isBetweenEnds, isMetered, isRelayFrame, type RelayFrame, relayCode } from '../frames/relay-frames.ts';
import type { MeshLimits } from '../limits.ts';
import { HIGH_WATER, type Link } from '../transport.ts';
import type { PeerIdentity } from './certificate.ts';
import { type ChannelFault, SecureChannel } from './channel.ts';
import { Heartbeat, type Pulse } from './heartbeat.ts';
import { Inbound } from './inbound.ts';
import { Outbound } from './outbound.ts';
import type { SessionFault, SessionListener, SessionOptions } from './session-listener.ts';
import { SessionRates } from './session-rates.ts';

/** Bytes waiting for a peer that does not read. */
const DROP_ABOVE = 2 * HIGH_WATER;

type ControlFrame = Exclude<Frame, RelayFrame | { type: 'envelope' | 'ack' | 'broadcast' | 'goodbye' }>;

/** A conversation of frames with one proven peer over one link. */
export class Session {
  readonly remote: string;
  readonly dialled: boolean;
  readonly relayed: boolean;
  readonly openedAt: number;
  readonly #listener: SessionListener;
  readonly #clock: Clock;
  readonly #limits: MeshLimits;
  readonly #channel: SecureChannel;
  readonly #outbound: Outbound;
  readonly #inbound: Inbound;
  readonly #heartbeat: Heartbeat;
  readonly #rates: SessionRates;
  #peer: PeerIdentity | undefined;
  #welcome: Welcome | undefined;
  #farewell: string | undefined;
  #lastSeen: number;
  #lastEnvelope: number;
  #closing: { readonly reason: string; readonly fault?: SessionFault | undefined } | undefined;
  readonly #cancels: (() => void)[] = [];

  /** Starts the handshake at once. */
  constructor(link: Link, options: SessionOptions, listener: SessionListener) {
    const { clock, limits, random } = options;
    this.remote = link.remote;
    this.dialled = link.dialled;
    this.relayed = link.relayed ?? false;
    this.openedAt = clock.now();
    this.#lastSeen = this.openedAt;
    this.#lastEnvelope = this.openedAt;
    this.#listener = listener;
    this.#clock = clock;
    this.#limits = limits;
    this.#rates = new SessionRates(clock, limits);
    const late = () => this.close('handshake timed out', 'handshake');
    this.#cancels.push(clock.after(limits.handshakeMs, late));
    if (!link.dialled) this.#cancels.push(clock.after(limits.firstMessageMs, () => this.#channel.begun || late()));
    this.#channel = new SecureChannel(link, options, {
      secured: (peer) => this.#secured(peer),
      message: (plaintext) => this.#message(plaintext),
      drain: () => this.#outbound.pump(),
      closed: (reason, fault) => this.#closed(reason, fault),
    });
    const channel = this.#channel;
    const out = {
      writable: () => channel.writable,
      send: (envelope: Uint8Array) => channel.send(writeFrame({ type: 'envelope', envelope })),
    };
    this.#outbound = new Outbound(out, clock, limits);
    this.#inbound = new Inbound(limits, {
      answer: (ack) => this.#send(ack),
      pause: () => channel.pause(),
      resume: () => {
        this.#heartbeat.forget();
        channel.resume();
      },
    });
    this.#heartbeat = new Heartbeat(clock, random, {
      send: (token) => this.#send({ type: 'ping', token }),
      silent: () => this.close('no answer to a ping', 'silent'),
    });
  }

  /** The peer's key; undefined until it is proven. */
  get peer(): PeerIdentity | undefined {
    return this.#peer;
  }

  /** The peer's introduction; undefined until it has come. */
  get welcome(): Welcome | undefined {
    return this.#welcome;
  }

  get open(): boolean {
    return this.#welcome !== undefined && !this.#closing;
  }

  /** The reason the peer gave, in a frame of its own, for ending the session. */
  get farewell(): string | undefined {
    return this.#farewell;
  }

  get lastSeen(): number {
    return this.#lastSeen;
  }

  /** When the last envelope was sent or received. */
  get lastEnvelope(): number {
    return this.#lastEnvelope;
  }

  get pulse(): Pulse {
    return this.#heartbeat;
  }

  /** Envelopes sent or queued and not acknowledged. */
  get pending(): number {
    return this.#outbound.pending;
  }

  /** Holds this session's envelopes until the session before has none under way, or is over: their order is kept. */
  follow(before: Session, then: () => void): void {
    this.#outbound.hold();
    before.#outbound.drained(() => {
      this.#outbound.release();
      then();
    });
  }

  /** Sends an envelope of at most MAX_CARRIED bytes and waits for the other side's ACK. */
  sendEnvelope(envelope: Uint8Array): Promise<SendOutcome> {
    if (envelope.length > MAX_CARRIED) throw new RangeError('The envelope is too large for a frame.');
    if (!this.open) return Promise.resolve({ outcome: 'unreachable' });
    this.#lastEnvelope = this.#clock.now();
    return this.#outbound.send(envelope);
  }

  /** Sends a written frame, unless this peer is too slow just now and the frame is one that may be `lost`. */
  offer(frame: Uint8Array, lost = true): boolean {
    if (!this.open || (lost && !this.#channel.writable)) return false;
    this.#write(frame);
    return true;
  }

  /** Says goodbye, sends what is under way and closes. Envelopes that were not acknowledged are settled as unknown. */
  close(reason: string, fault?: SessionFault): void {
    if (this.#closing) return;
    this.#send({ type: 'goodbye', reason });
    this.#end(reason, fault);
    this.#channel.close(reason);
  }

  /** Drops the link without a word. */
  destroy(reason: string, fault?: SessionFault): void {
    this.#end(reason, fault);
    this.#channel.destroy(reason);
  }

  #secured(peer: PeerIdentity): void {
    this.#peer = peer;
    // The channel is paused so that no frame of the peer is read before it has been greeted.
    this.#channel.pause();
    void this.#listener.greet(peer).then((greeting) => {
      if ('refuse' in greeting) this.close(greeting.refuse);
      else this.#send({ type: 'welcome', ...greeting, time: this.#clock.now() });
      this.#channel.resume();
    });
  }

  #message(plaintext: Uint8Array): void {
    this.#lastSeen = this.#clock.now();
    if (plaintext.length === 0 && !this.#rates.control()) this.close('too many keys', 'flood');
    try {
      for (const frame of readFrames(plaintext)) {
        if (this.#closing) return;
        this.#frame(frame);
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.close(error.message, 'frame');
    }
  }

  #frame(frame: Frame | UnknownFrame): void {
    if (frame.type === 'goodbye') {
      this.#farewell = frame.reason === '' ? 'goodbye' : frame.reason;
      this.#end(this.#farewell);
      this.#channel.close();
      return;
    }
    if (!this.#welcome) {
      if (frame.type !== 'welcome') throw new FrameError('The first frame is not a welcome.');
      this.#open(frame);
      return;
    }
    if (frame.type === 'envelope') this.#envelope(frame.envelope);
    else if (frame.type === 'ack') this.#outbound.acknowledge(frame.upTo, frame.exceptions);
    else if (frame.type === 'broadcast') this.#broadcast(frame);
    else if (isRelayFrame(frame)) this.#relay(frame);
    else this.#control(frame);
  }

  #open(welcome: Welcome): void {
    this.#welcome = welcome;
    this.#heartbeat.introduced(welcome.time);
    this.#stop();
    const peer = this.#peer!;
    this.#cancels.push(
      this.#clock.every(this.#limits.pingMs, () => this.#tick()),
      this.#clock.after(peer.notAfter - this.#clock.now(), () => this.close('certificate expired')),
    );
    this.#listener.opened(this);
  }

  #envelope(envelope: Uint8Array): void {
    const settle = this.#inbound.arrive(envelope.length);
    if (!this.#rates.envelope(envelope.length)) {
      settle({ reason: 'rate-limited' });
      this.#limited();
      return;
    }
    this.#lastEnvelope = this.#lastSeen;
    this.#listener.envelope(envelope, this).then(
      (answer) => settle(typeof answer === 'string' ? { reason: answer } : answer),
      () => settle({ reason: 'rate-limited' }),
    );
  }

  #broadcast({ envelope, topic }: Frame & { type: 'broadcast' }): void {
    if (this.#rates.broadcast(envelope.length)) this.#listener.broadcast(envelope, topic, this);
    else this.#limited();
  }

  #limited(): void {
    this.#listener.limited(this);
    if (!this.#rates.refused()) this.close('far too many envelopes', 'flood');
  }

  /** Metered frames that are of use count against no rate: a circuit's window, or our own request, bounds them. */
  #relay(frame: RelayFrame): void {
    if (this.relayed && !isBetweenEnds(frame)) this.#control({ type: 'unknown', code: relayCode(frame) });
    else if (!isMetered(frame)) this.#counted() && this.#listener.relay(frame, this);
    else if (!this.#listener.relay(frame, this) && !this.#rates.stray()) this.close('too many frames', 'flood');
  }

  /** False when the peer sent too many such frames, which ends the session. */
  #counted(): boolean {
    if (this.#rates.control()) return true;
    this.close('too many frames', 'flood');
    return false;
  }

  #control(frame: ControlFrame | UnknownFrame): void {
    if (!this.#counted()) return;
    if (frame.type === 'ping') this.#send({ type: 'pong', token: frame.token, time: this.#clock.now() });
    else if (frame.type === 'pong') this.#heartbeat.answered(frame.token, frame.time);
    else if (frame.type === 'subscribe') this.#listener.subscribed(frame.topics, this);
    else if (frame.type === 'unsubscribe') this.#listener.unsubscribed(frame.topics, this);
    else if (frame.type === 'unknown') this.#send({ type: 'refused', code: frame.code });
    else if (frame.type === 'welcome') throw new FrameError('A second welcome.');
  }

  #tick(): void {
    const oldest = this.#outbound.oldestSentAt;
    const isLate = oldest !== undefined && this.#clock.now() - oldest > this.#limits.ackMs;
    if (isLate) this.close('no acknowledgement', 'silent');
    else if (!this.#inbound.paused) this.#heartbeat.beat(this.#lastSeen);
  }

  #send(frame: Frame): void {
    if (!this.#closing) this.#write(writeFrame(frame));
  }

  /** Frames that cannot be withheld are few; a peer that makes them pile up all the same is dropped. */
  #write(frame: Uint8Array): void {
    this.#channel.send(frame);
    if (this.#channel.buffered > DROP_ABOVE) this.destroy('too slow', 'slow');
  }

  #stop(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
  }

  #closed(reason: string, fault?: ChannelFault): void {
    const end = this.#end(reason, fault);
    this.#listener.closed(end.reason, end.fault, this);
  }

  /** The first reason counts. */
  #end(reason: string, fault?: SessionFault) {
    this.#closing ??= { reason, fault };
    this.#stop();
    this.#outbound.end();
    this.#inbound.end();
    return this.#closing;
  }
}
