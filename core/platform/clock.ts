/**
 * Time and randomness come through interfaces, so that a whole mesh can run under a virtual clock with a fixed seed.
 * Product code never calls `Date.now`, `setTimeout` or `Math.random` itself.
 */
export interface Clock {
  /** Whether it only goes on by itself: nobody sets it, and it is of no machine that sleeps. So a long wait ends at its moment. */
  readonly isSteady?: boolean;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs once after `ms`; the returned function cancels. Timers never keep the process alive. */
  after(ms: number, run: () => void): () => void;
  /** Runs every `ms` until cancelled. A slow run is not overlapped by the caller: pass quick functions. */
  every(ms: number, run: () => void): () => void;
  /** Resolves after `ms`, rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** `length` unpredictable bytes. */
  bytes(length: number): Uint8Array;
  /** A number in [0, 1), for jitter and sampling; never for secrets. */
  fraction(): number;
}
