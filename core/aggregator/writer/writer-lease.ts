import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Writership } from '../../platform/writership.ts';
import type { Space } from '../../storage/space.ts';
import { type StoredWriter, WRITER_MS, writerRef } from '../store/writer.ts';

export interface WriterLeaseParts {
  readonly space: Space;
  readonly clock: Clock;
  readonly log: Log;
  /** This process, as the others see it when it is the writer. */
  readonly self: Omit<StoredWriter, 'plugins'>;
}

/** A third of the lease would do; a busy writer's renewal waits behind the transactions that came before it. */
const RENEW_MS = WRITER_MS / 4;

/** The lease that makes one of several aggregators on a store its writer. Ask it to `look` at least every second. */
export class WriterLease implements Writership {
  readonly #parts: WriterLeaseParts;
  /** See `StoredWriter`; set before the first look. */
  plugins: readonly string[] = [];
  #holder: StoredWriter | undefined;
  #term: AbortController | undefined;
  #renewed = Number.NEGATIVE_INFINITY;
  #takes = true;
  readonly #waiting = new Set<(term: AbortSignal) => void>();

  constructor(parts: WriterLeaseParts) {
    this.#parts = parts;
  }

  get isWriter(): boolean {
    return this.#term !== undefined;
  }

  /** The writer, as far as it was known at the last look. */
  get holder(): StoredWriter | undefined {
    return this.#holder;
  }

  term(stop: AbortSignal): Promise<AbortSignal> {
    if (this.#term) return Promise.resolve(this.#term.signal);
    return new Promise((resolve, reject) => {
      if (stop.aborted) return reject(stop.reason);
      const begun = (term: AbortSignal) => {
        stop.removeEventListener('abort', stopped);
        resolve(term);
      };
      const stopped = () => {
        this.#waiting.delete(begun);
        reject(stop.reason);
      };
      stop.addEventListener('abort', stopped, { once: true });
      this.#waiting.add(begun);
    });
  }

  /** Renews the lease, takes it when nobody has it, or finds out who has it. Never rejects. */
  async look(): Promise<void> {
    const { space, clock, log, self } = this.#parts;
    const now = clock.now();
    if (this.#term && now - this.#renewed < RENEW_MS && now >= this.#renewed) return;
    try {
      const found = this.#term ? undefined : await space.get(writerRef);
      const mayTake = this.#takes && (found === undefined || found.by === self.by);
      this.#knows(mayTake ? await this.#take() : found, now);
    } catch (error) {
      log.debug({ err: error }, 'the lease of the writer could not be looked at');
      if (clock.now() - this.#renewed > WRITER_MS) this.#end();
    }
  }

  /** Lets another process be the writer, and takes the lease no more. */
  async standDown(): Promise<void> {
    const { space, self, log } = this.#parts;
    this.#takes = false;
    if (!this.#term) return;
    this.#end();
    await space
      .tx([writerRef], (tx) => {
        if (tx.get(writerRef)?.by === self.by) tx.del(writerRef);
      })
      .catch((error: unknown) => log.debug({ err: error }, 'the lease of the writer runs out by itself'));
  }

  async #take(): Promise<StoredWriter> {
    const { space } = this.#parts;
    const self: StoredWriter = { ...this.#parts.self, plugins: this.plugins };
    const { value } = await space.tx([writerRef], (tx) => {
      const before = tx.get(writerRef);
      if (before && before.by !== self.by) return before;
      tx.put(writerRef, self);
      return self;
    });
    return value;
  }

  #knows(holder: StoredWriter | undefined, at: number): void {
    const { self, log } = this.#parts;
    if (holder?.by !== this.#holder?.by && holder) log.info({ writer: holder.agent_id }, 'the writer of the store is');
    this.#holder = holder;
    if (holder?.by !== self.by || !this.#takes) {
      this.#end();
      return;
    }
    this.#renewed = at;
    if (this.#term) return;
    this.#term = new AbortController();
    for (const begun of this.#waiting) begun(this.#term.signal);
    this.#waiting.clear();
  }

  #end(): void {
    const term = this.#term;
    this.#term = undefined;
    term?.abort(new Error('another process writes'));
  }
}
