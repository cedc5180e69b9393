import type { CommitBatch, DocumentRef } from './adapter.ts';
import { nameOf, type Overlay } from './overlay.ts';

/**
 * Reads for the next batch while a commit is on its way, so that the medium has something to do and the batch need not
 * wait twice. Documents which that commit writes are left out: they are about to change.
 */
export class ReadAhead {
  readonly #overlay: Overlay;
  readonly #written: ReadonlySet<string>;
  #looking: Promise<void> | undefined;
  #failed = false;

  constructor(overlay: Overlay, { effects }: CommitBatch) {
    const puts = effects.filter((effect) => effect.kind === 'put' || effect.kind === 'delete');
    this.#overlay = overlay;
    this.#written = new Set(puts.map(nameOf));
  }

  /** Once everybody of this turn has said what they want, unless it is looking already. */
  look(coming: () => Map<string, DocumentRef>): void {
    this.#looking ??= this.#load(coming).catch(() => {
      // Whoever needs it reads again, and is told.
      this.#failed = true;
    });
  }

  /** What was read, when nothing more is on its way; undefined when reading did not work. */
  async finish(): Promise<Overlay | undefined> {
    await this.#looking;
    return this.#failed ? undefined : this.#overlay;
  }

  async #load(coming: () => Map<string, DocumentRef>): Promise<void> {
    await Promise.resolve();
    const wanted = coming();
    for (const name of this.#written) wanted.delete(name);
    await this.#overlay.load(wanted);
    this.#looking = undefined;
  }
}
