import type { Clock } from '../../platform/clock.ts';
import type { SendOutcome } from '../ack.ts';
import { type AckException, FrameError } from '../frames/frames.ts';

export interface OutboundLimits {
  readonly inFlight: number;
  readonly inFlightBytes: number;
  readonly queued: number;
  readonly queuedBytes: number;
}

/** Where envelopes leave. */
export interface OutboundChannel {
  writable(): boolean;
  send(envelope: Uint8Array): void;
}

interface Waiting {
  readonly envelope: Uint8Array;
  readonly settle: (outcome: SendOutcome) => void;
}

interface InFlight {
  readonly length: number;
  readonly sentAt: number;
  readonly settle: (outcome: SendOutcome) => void;
}

/** The envelopes of one session on their way out: a bounded queue before a bounded window of unacknowledged ones. */
export class Outbound {
  readonly #channel: OutboundChannel;
  readonly #clock: Clock;
  readonly #limits: OutboundLimits;
  #queue: Waiting[] = [];
  #queuedBytes = 0;
  #inFlight: InFlight[] = [];
  #inFlightBytes = 0;
  /** The number of the last envelope that was acknowledged. */
  #settled = 0;
  #held = false;
  #whenDrained: (() => void) | undefined;
  #ended = false;

  constructor(channel: OutboundChannel, clock: Clock, limits: OutboundLimits) {
    this.#channel = channel;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** When the envelope that waits longest for its acknowledgement was sent. */
  get oldestSentAt(): number | undefined {
    return this.#inFlight[0]?.sentAt;
  }

  get pending(): number {
    return this.#queue.length + this.#inFlight.length;
  }

  send(envelope: Uint8Array): Promise<SendOutcome> {
    if (this.#ended) return Promise.resolve({ outcome: 'unreachable' });
    const { queued, queuedBytes } = this.#limits;
    const full = this.#queue.length >= queued || this.#queuedBytes + envelope.length > queuedBytes;
    if (full) return Promise.resolve({ outcome: 'busy' });
    return new Promise((settle) => {
      this.#queue.push({ envelope, settle });
      this.#queuedBytes += envelope.length;
      this.pump();
    });
  }

  /** Calls back once nothing waits or is unanswered any more; at once when that is so. */
  drained(tell: () => void): void {
    if (this.pending === 0) tell();
    else this.#whenDrained = tell;
  }

  /** Keeps what is sent from now on in the queue until `release`. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.pump();
  }

  /** Moves envelopes from the queue into the window as far as there is room. */
  pump(): void {
    if (this.#held) return;
    let moved = 0;
    for (const { envelope, settle } of this.#queue) {
      if (!this.#hasRoom(envelope.length)) break;
      this.#inFlight.push({ length: envelope.length, sentAt: this.#clock.now(), settle });
      this.#inFlightBytes += envelope.length;
      this.#queuedBytes -= envelope.length;
      moved += 1;
      this.#channel.send(envelope);
    }
    if (moved > 0) this.#queue.splice(0, moved);
  }

  /** Throws a FrameError when the other side acknowledges what was never sent, or nothing. */
  acknowledge(upTo: number, exceptions: readonly AckException[]): void {
    const count = upTo - this.#settled;
    if (count < 1 || count > this.#inFlight.length) throw new FrameError('An acknowledgement is out of range.');
    const first = exceptions[0];
    if (first && first.back >= count) throw new FrameError('An exception is out of range.');
    const answered = this.#inFlight.splice(0, count);
    this.#settled = upTo;
    const reasons = new Map(exceptions.map((exception) => [count - 1 - exception.back, exception]));
    answered.forEach(({ length, settle }, index) => {
      this.#inFlightBytes -= length;
      const { reason = 'accepted', evidence } = reasons.get(index) ?? {};
      settle(evidence ? { outcome: 'acked', reason, evidence } : { outcome: 'acked', reason });
    });
    this.pump();
    this.#tellDrained();
  }

  /** The session is over: envelopes in flight may have arrived (`unknown`), queued ones have not (`unreachable`). */
  end(): void {
    this.#ended = true;
    const [queue, inFlight] = [this.#queue, this.#inFlight];
    this.#queue = [];
    this.#inFlight = [];
    this.#queuedBytes = 0;
    this.#inFlightBytes = 0;
    for (const { settle } of inFlight) settle({ outcome: 'unknown' });
    for (const { settle } of queue) settle({ outcome: 'unreachable' });
    this.#tellDrained();
  }

  #tellDrained(): void {
    if (this.pending > 0) return;
    this.#whenDrained?.();
    this.#whenDrained = undefined;
  }

  #hasRoom(length: number): boolean {
    if (this.#inFlight.length === 0) return this.#channel.writable();
    const { inFlight, inFlightBytes } = this.#limits;
    if (this.#inFlight.length >= inFlight || this.#inFlightBytes + length > inFlightBytes) return false;
    return this.#channel.writable();
  }
}
