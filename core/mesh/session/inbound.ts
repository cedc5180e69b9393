import type { Ack } from '../ack.ts';
import type { AckException, Frame } from '../frames/frames.ts';

/** Bytes of exceptions in one ACK frame; more of them go into the next. */
const MAX_EXCEPTIONS = 32 * 1024;
const EXCEPTION_HEAD = 4;
const MAX_BACK = 65_535;

interface Arrived {
  readonly length: number;
  ack?: Ack;
}

export interface InboundLimits {
  readonly inFlight: number;
  readonly inFlightBytes: number;
}

/** The inbound side acknowledges and pauses reading through its session's channel. */
export interface InboundChannel {
  answer(ack: Frame & { type: 'ack' }): void;
  /** The envelopes that were read and not answered have reached a limit: the transport should stop the sender. */
  pause(): void;
  resume(): void;
}

/**
 * The envelopes of one session that arrived and are not acknowledged yet, in the order of their numbers. Answers leave
 * in that order and together: one ACK for everything that was settled in a turn.
 */
export class Inbound {
  readonly #limits: InboundLimits;
  readonly #channel: InboundChannel;
  #arrived: Arrived[] = [];
  #bytes = 0;
  #acknowledged = 0;
  #scheduled = false;
  #paused = false;
  #ended = false;

  constructor(limits: InboundLimits, channel: InboundChannel) {
    this.#limits = limits;
    this.#channel = channel;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Numbers the next envelope; the returned function settles it, the first call counts. */
  arrive(length: number): (ack: Ack) => void {
    const entry: Arrived = { length };
    this.#arrived.push(entry);
    this.#bytes += length;
    this.#regulate();
    return (ack) => {
      if (entry.ack) return;
      entry.ack = ack;
      this.#schedule();
    };
  }

  /** No answer can be given any more. */
  end(): void {
    this.#ended = true;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.#ended) return;
      for (let ack = this.#collect(); ack; ack = this.#collect()) this.#channel.answer(ack);
      this.#regulate();
    });
  }

  #regulate(): void {
    const { inFlight, inFlightBytes } = this.#limits;
    const full = this.#arrived.length >= inFlight || this.#bytes >= inFlightBytes;
    if (full === this.#paused || this.#ended) return;
    this.#paused = full;
    if (full) this.#channel.pause();
    else this.#channel.resume();
  }

  /** The ACK for everything settled without a gap since the last call, or nothing. */
  #collect(): (Frame & { type: 'ack' }) | undefined {
    let count = 0;
    let size = 0;
    const refused: [index: number, ack: Ack][] = [];
    for (const { length, ack } of this.#arrived) {
      if (!ack || size > MAX_EXCEPTIONS || count > MAX_BACK) break;
      if (ack.reason !== 'accepted') {
        refused.push([count, ack]);
        size += EXCEPTION_HEAD + (ack.evidence?.length ?? 0);
      }
      count += 1;
      this.#bytes -= length;
    }
    if (count === 0) return undefined;
    this.#arrived.splice(0, count);
    this.#acknowledged += count;
    const exceptions = refused.map(([index, ack]): AckException => ({ back: count - 1 - index, ...ack }));
    return { type: 'ack', upTo: this.#acknowledged, exceptions };
  }
}
