import type { Clock, Random } from '../platform/clock.ts';
import type { Ref } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';

export interface JobLeaseParts {
  readonly space: Space;
  readonly clock: Clock;
  readonly random: Random;
  /** A document of a lease. */
  readonly ref: Ref<{ readonly by: string }>;
}

/** Which of several processes on one store does a job. Where a store has one process, it is that one. */
export class JobLease {
  readonly #parts: JobLeaseParts;
  readonly #name: string;
  #renewed = 0;

  constructor(parts: JobLeaseParts) {
    this.#parts = parts;
    this.#name = Buffer.from(parts.random.bytes(8)).toString('hex');
  }

  /** How long a process that has stopped without a word keeps others from the job, in milliseconds. */
  get ms(): number {
    return this.#parts.ref.of.ttl!;
  }

  /** Whether this process is the one; call it again at least every third of `ms`. */
  async hold(): Promise<boolean> {
    const { space, clock, ref } = this.#parts;
    if (space.changes !== undefined || clock.now() - this.#renewed < this.ms / 3) return true;
    const { value } = await space.tx([ref], (tx) => {
      const holder = tx.get(ref);
      if (holder && holder.by !== this.#name) return false;
      tx.put(ref, { by: this.#name });
      return true;
    });
    this.#renewed = value ? clock.now() : 0;
    return value;
  }

  /** Lets another process do it. */
  async release(): Promise<void> {
    const { space, ref } = this.#parts;
    if (space.changes !== undefined || this.#renewed === 0) return;
    this.#renewed = 0;
    await space.tx([ref], (tx) => {
      if (tx.get(ref)?.by === this.#name) tx.del(ref);
    });
  }
}
