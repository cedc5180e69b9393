import type { Clock } from '../../platform/clock.ts';
import type { TokenBucket } from '../../platform/token-bucket.ts';
import { FrameError } from '../frames/frames.ts';
import { type Circuit, type CircuitEnd, costOf, WINDOW } from './circuit.ts';

/** How soon credit that was held back is tried again, milliseconds. */
const RETRY = 100;

export interface RelayRate {
  readonly clock: Clock;
  /** Bytes that the session of this leg may send through the hub, shared by its circuits. */
  readonly bucket: TokenBucket;
  /** Bytes per second of the bucket. */
  readonly perSecond: number;
  relayed(bytes: number): void;
}

/**
 * One of the two sides of a relayed circuit at its hub. The bytes that its session sent and the other side has not read
 * never exceed the window. The hub credits a sender that is too fast for it later, so nothing is dropped.
 */
export class RelayLeg implements CircuitEnd {
  readonly circuit: Circuit;
  readonly #rate: RelayRate;
  #other: RelayLeg | undefined;
  #allowed = WINDOW;
  #unread = 0;
  #owed = 0;
  #waiting: (() => void) | undefined;
  #over = () => {};

  constructor(circuit: Circuit, rate: RelayRate) {
    this.circuit = circuit;
    this.#rate = rate;
    circuit.attach(this);
  }

  /** `over` is called once, when the circuit has ended. */
  static join(one: RelayLeg, other: RelayLeg, over: () => void): void {
    one.#other = other;
    other.#other = one;
    one.#over = over;
    other.#over = over;
  }

  data(message: Uint8Array): void {
    const cost = costOf(message);
    if (cost > this.#allowed) throw new FrameError('A circuit carries more than its window.');
    this.#allowed -= cost;
    this.#unread += cost;
    this.#rate.relayed(message.length);
    if (this.#other?.circuit.data(message)) return;
    this.circuit.close('too slow');
    this.ended('too slow');
  }

  credit(bytes: number): void {
    const sender = this.#other;
    if (!sender) return;
    if (bytes > sender.#unread) throw new FrameError('A circuit is credited with more than it carried.');
    sender.#unread -= bytes;
    sender.#owed += bytes;
    sender.#release();
  }

  ended(reason: string): void {
    const other = this.#other;
    this.#stop();
    if (!other) return;
    other.#stop();
    other.circuit.close(reason);
    this.#over();
  }

  #release(): void {
    if (this.#waiting || this.#owed === 0) return;
    const portion = Math.min(this.#owed, this.#rate.perSecond);
    if (this.#rate.bucket.take(portion)) {
      this.#owed -= portion;
      this.#allowed += portion;
      this.circuit.credit(portion);
    }
    if (this.#owed === 0) return;
    this.#waiting = this.#rate.clock.after(RETRY, () => {
      this.#waiting = undefined;
      this.#release();
    });
  }

  #stop(): void {
    this.#other = undefined;
    this.#waiting?.();
    this.#waiting = undefined;
    this.#owed = 0;
  }
}
