import { availableParallelism } from 'node:os';
import { verify, verifyOnPool } from '../../protocol/identity/verify.ts';
import { type Verification, VerifyThread } from './verify-thread.ts';

/**
 * On two cores the pool has none of its own: a verification on it costs 1.8 times the CPU of one made at once, and whoever
 * sends, the kernel or another process pays for it.
 */
const IN_FLIGHT = availableParallelism() > 2 ? 64 : 0;

export interface VerifierOptions {
  /** Single verifications given to the thread pool at once; 0 keeps them on the calling thread. By default 64, or 0 on two cores. */
  readonly maxInFlight?: number;
}

/** One verification whose result has not been handed out. */
interface Turn {
  valid: boolean | undefined;
  readonly settle: (valid: boolean) => void;
}

/** Fewer are not worth the way to the thread. */
const MIN_BATCH = 16;
/** Verifications that may wait for the thread. */
const MAX_WAITING = 8_192;

/**
 * Verifies in the order of the calls: results are handed out one after the other as they were asked for, so envelopes
 * of one sender never overtake each other.
 *
 * - Idle, the first call of a turn of the event loop is verified at once on the calling thread, which is the fastest.
 * - More calls in the same turn are a burst: up to `maxInFlight` go to the thread pool, side by side.
 * - With that many under way the calling thread verifies itself. This is the back-pressure: no queue grows without
 *   bound, and a caller that reads faster than two cores verify is slowed down.
 */
export class Verifier {
  readonly #maxInFlight: number;
  readonly #turns: Turn[] = [];
  readonly #thread = new VerifyThread();
  #inFlight = 0;
  #burst = false;

  constructor(options: VerifierOptions = {}) {
    this.#maxInFlight = options.maxInFlight ?? IN_FLIGHT;
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
      if (this.#inFlight < this.#maxInFlight) this.#start(turn, message, signature, key);
      else turn.valid = verify(message, signature, key);
      if (turn.valid !== undefined) this.#handOut();
    });
  }

  /**
   * The same for many at once, which a thread of their own verifies while the calling thread does something else. They
   * are in no order with other calls. Never rejects.
   */
  async verifyAll(batch: readonly Verification[]): Promise<readonly boolean[]> {
    const isWorthIt = batch.length >= MIN_BATCH && this.#thread.waiting + batch.length <= MAX_WAITING;
    if (isWorthIt) {
      const verdicts = await this.#thread.verify(batch).catch(() => undefined);
      if (verdicts) return verdicts;
    }
    return Promise.all(batch.map(({ message, signature, key }) => this.verify(message, signature, key)));
  }

  /** Ends the thread; who still waits for it is answered by the thread pool. */
  close(): Promise<void> {
    return this.#thread.close();
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

  #start(turn: Turn, message: Uint8Array, signature: Uint8Array, key: Uint8Array): void {
    this.#inFlight += 1;
    verifyOnPool(message, signature, key, (valid) => {
      this.#inFlight -= 1;
      turn.valid = valid;
      this.#handOut();
    });
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
