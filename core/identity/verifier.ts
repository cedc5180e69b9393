import { availableParallelism } from 'node:os';
import { verify, verifyOnPool } from './verify.ts';

/**
 * On two cores the pool has none of its own: a verification on it costs 1.8 times the CPU of one made at once, and whoever
 * sends, the kernel or another process pays for it.
 */
const IN_FLIGHT = availableParallelism() > 2 ? 64 : 0;

export interface VerifierOptions {
  /** Verifications given to the thread pool at once; 0 keeps everything on the calling thread. By default 64, or 0 on two cores. */
  readonly maxInFlight?: number;
  /** How many more may wait for the thread pool before the calling thread takes part; none by default. */
  readonly maxWaiting?: number;
}

/** One verification whose result has not been handed out. */
interface Turn {
  valid: boolean | undefined;
  readonly settle: (valid: boolean) => void;
}

/** A verification that waits for the thread pool. */
interface Job {
  readonly turn: Turn;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly key: Uint8Array;
}

/**
 * Verifies in the order of the calls: results are handed out one after the other as they were asked for, so envelopes
 * of one sender never overtake each other.
 *
 * - Idle, the first call of a turn of the event loop is verified at once on the calling thread, which is the fastest.
 * - More calls in the same turn are a burst: up to `maxInFlight` go to the thread pool, side by side, and up to
 *   `maxWaiting` wait for it, which leaves the calling thread to its other work.
 * - With that many under way the calling thread verifies itself. This is the back-pressure: no queue grows without
 *   bound, and a caller that reads faster than two cores verify is slowed down.
 */
export class Verifier {
  readonly #maxInFlight: number;
  readonly #maxWaiting: number;
  readonly #turns: Turn[] = [];
  #waiting: Job[] = [];
  /** The first of `#waiting` that has not been started. */
  #next = 0;
  #inFlight = 0;
  #burst = false;

  constructor(options: VerifierOptions = {}) {
    this.#maxInFlight = options.maxInFlight ?? IN_FLIGHT;
    this.#maxWaiting = options.maxWaiting ?? 0;
  }

  /** Verifications on the thread pool now. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** As `verify`, in the order of the calls. The bytes must not change until it resolves. Never rejects. */
  verify(message: Uint8Array, signature: Uint8Array, key: Uint8Array): Promise<boolean> {
    if (this.#turns.length === 0 && !this.#entersBurst()) return Promise.resolve(verify(message, signature, key));
    return new Promise((settle) => {
      const turn: Turn = { valid: undefined, settle };
      this.#turns.push(turn);
      const job = { turn, message, signature, key };
      if (this.#inFlight < this.#maxInFlight) this.#start(job);
      else if (this.#waiting.length - this.#next < this.#maxWaiting) this.#waiting.push(job);
      else turn.valid = verify(message, signature, key);
      if (turn.valid !== undefined) this.#handOut();
    });
  }

  /** Whether this is not the first call in this turn of the event loop. */
  #entersBurst(): boolean {
    if (this.#maxInFlight === 0) return false;
    if (this.#burst) return true;
    this.#burst = true;
    setImmediate(() => {
      this.#burst = false;
    });
    return false;
  }

  #start({ turn, message, signature, key }: Job): void {
    this.#inFlight += 1;
    verifyOnPool(message, signature, key, (valid) => {
      this.#inFlight -= 1;
      turn.valid = valid;
      this.#startNext();
      this.#handOut();
    });
  }

  #startNext(): void {
    const job = this.#waiting[this.#next];
    if (!job) return;
    this.#next += 1;
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    this.#start(job);
  }

  #handOut(): void {
    let ready = 0;
    for (const turn of this.#turns) {
      if (turn.valid === undefined) break;
      turn.settle(turn.valid);
      ready += 1;
    }
    if (ready > 0) this.#turns.splice(0, ready);
  }
}
