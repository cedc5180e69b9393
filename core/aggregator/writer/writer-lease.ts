import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Writership } from '../../platform/writership.ts';
import type { Space } from '../../storage/space.ts';
import { type StoredWriter, TERM_MS, WRITER_MS, writerRef } from '../store/writer.ts';

export interface WriterLeaseParts {
  readonly space: Space;
  readonly clock: Clock;
  readonly log: Log;
  /** This process, as the others see it when it is the writer. */
  readonly self: Omit<StoredWriter, 'plugins'>;
  /** Whether the clock of this process may be gone by; a writer whose clock is wrong would close epochs that are not over. */
  readonly isInTime: () => boolean;
}

/** A busy writer's renewal waits behind the transactions that came before it. */
const RENEW_MS = WRITER_MS / 4;

/**
 * The lease that makes one of several aggregators on a store its writer. It lasts by the time of the store, and the term of its holder ends
 * before it by the time that passes here, whatever the clocks say and whether or not the store answers. Ask it to `look` at least
 * every second.
 */
export class WriterLease implements Writership {
  readonly #parts: WriterLeaseParts;
  /** See `StoredWriter`; set before the first look. */
  plugins: readonly string[] = [];
  #holder: StoredWriter | undefined;
  #term: AbortController | undefined;
  /** When it was last renewed, by the clock, and the timer that ends the term. */
  #renewed = Number.NEGATIVE_INFINITY;
  #keep: () => void = () => {};
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

  /** Renews the lease, takes it when nobody has it, gives it back when the clock is wrong, or finds out who has it. Never rejects. */
  async look(): Promise<void> {
    const { space, clock, log, self } = this.#parts;
    const now = clock.now();
    if (this.#term && !this.#mayTake) await this.#giveBack();
    if (this.#term && now - this.#renewed < RENEW_MS && now >= this.#renewed) return;
    try {
      const found = this.#term ? undefined : await space.get(writerRef);
      const isFree = found === undefined || found.by === self.by;
      if (this.#mayTake && isFree) await this.#take();
      else this.#knows(isFree ? undefined : found);
    } catch (error) {
      log.debug({ err: error }, 'the lease of the writer could not be looked at');
    }
  }

  /** Lets another process be the writer, and takes the lease no more. */
  async standDown(): Promise<void> {
    this.#takes = false;
    if (this.#term) await this.#giveBack();
  }

  get #mayTake(): boolean {
    return this.#takes && this.#parts.isInTime();
  }

  async #giveBack(): Promise<void> {
    const { space, self, log } = this.#parts;
    this.#end('another process is to write');
    await space
      .tx([writerRef], (tx) => {
        if (tx.get(writerRef)?.by === self.by) tx.del(writerRef);
      })
      .catch((error: unknown) => log.debug({ err: error }, 'the lease of the writer runs out by itself'));
  }

  async #take(): Promise<void> {
    const { space, clock } = this.#parts;
    const self: StoredWriter = { ...this.#parts.self, plugins: this.plugins };
    const { value } = await space.tx([writerRef], (tx) => {
      const before = tx.get(writerRef);
      const holder = before && before.by !== self.by ? before : self;
      if (holder === self) tx.put(writerRef, self);
      return { holder, at: tx.now };
    });
    // A clock that was set back meanwhile makes no term longer than it is.
    const passed = Math.max(0, clock.now() - value.at);
    if (value.holder === self && this.#mayTake && passed < TERM_MS) this.#begin(self, value.at, TERM_MS - passed);
    else this.#knows(value.holder === self ? undefined : value.holder);
  }

  /** This process is the writer for so many milliseconds from now, and longer when it renews the lease until then. */
  #begin(self: StoredWriter, at: number, ms: number): void {
    const { clock, log } = this.#parts;
    this.#tell(self);
    this.#renewed = at;
    this.#keep();
    this.#keep = clock.after(ms, () => {
      log.warn({}, 'the store did not renew the lease of the writer in time: this process is the writer no more');
      this.#end('the lease of the writer was not renewed in time');
    });
    if (this.#term) return;
    this.#term = new AbortController();
    for (const begun of this.#waiting) begun(this.#term.signal);
    this.#waiting.clear();
  }

  #knows(holder: StoredWriter | undefined): void {
    this.#end('another process writes');
    this.#tell(holder);
  }

  #tell(holder: StoredWriter | undefined): void {
    if (holder && holder.by !== this.#holder?.by)
      this.#parts.log.info({ writer: holder.agent_id }, 'the writer of the store is');
    this.#holder = holder;
  }

  #end(reason: string): void {
    this.#keep();
    const term = this.#term;
    this.#term = undefined;
    if (!term) return;
    this.#holder = undefined;
    term.abort(new Error(reason));
  }
}
