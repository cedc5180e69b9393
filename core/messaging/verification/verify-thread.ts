import type { Worker } from 'node:worker_threads';
import { concatBytes } from '../../platform/bytes.ts';
import { startThread } from '../../platform/start-thread.ts';

export interface Verification {
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly key: Uint8Array;
}

/** A batch as the thread takes it: the key, signature and message of each verification, one behind the other. */
export interface PackedVerifications {
  readonly bytes: Uint8Array;
  /** Three for each verification: of its key, signature and message. */
  readonly lengths: Uint32Array;
}

interface Batch {
  readonly size: number;
  readonly resolve: (verdicts: readonly boolean[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** V8 would give the thread's heap tens of megabytes; verifying keeps nothing beyond its batch. */
const LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };

/**
 * A thread that verifies by the batch. A job of the thread pool costs the thread that gives it a quarter of what the
 * verification takes; a batch costs next to nothing. Started with the first batch; it keeps no process alive.
 */
export class VerifyThread {
  readonly #batches: Batch[] = [];
  #worker: Worker | undefined;
  #waiting = 0;

  /** Verifications that have not been answered. */
  get waiting(): number {
    return this.#waiting;
  }

  /** As `verify`, in the order given. Rejects when the thread dies; the next batch starts another one. */
  verify(batch: readonly Verification[]): Promise<readonly boolean[]> {
    return new Promise((resolve, reject) => {
      this.#batches.push({ size: batch.length, resolve, reject });
      this.#waiting += batch.length;
      this.#worker ??= this.#start();
      this.#worker.postMessage(packed(batch));
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    let reason: unknown = new Error('the thread that verifies has ended');
    const events = {
      message: (verdicts: Uint8Array) => {
        this.#next().resolve(Array.from(verdicts, (verdict) => verdict === 1));
      },
      error: (error: unknown) => {
        reason = error;
      },
      exit: () => {
        this.#worker = undefined;
        while (this.#batches.length > 0) this.#next().reject(reason);
      },
    };
    return startThread('core/messaging/verification/verify-worker', events, { resourceLimits: LIMITS });
  }

  #next(): Batch {
    const batch = this.#batches.shift()!;
    this.#waiting -= batch.size;
    return batch;
  }
}

function packed(batch: readonly Verification[]): PackedVerifications {
  const parts = batch.flatMap(({ key, signature, message }) => [key, signature, message]);
  return { bytes: concatBytes(...parts), lengths: Uint32Array.from(parts, ({ length }) => length) };
}
