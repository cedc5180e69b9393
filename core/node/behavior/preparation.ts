import type { EpochJournal } from '../../messaging/epoch-journal.ts';
import type { Log } from '../../platform/log.ts';
import { shownUrl } from '../../platform/shown-url.ts';
import type { LeafArchive } from '../../protocol/batches/leaf-archive.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { BatchBook } from './batch-book.ts';
import { findStray, type Stray } from './comparison.ts';

export interface PreparationOptions {
  readonly archives: readonly LeafArchive[];
  readonly book: BatchBook;
  readonly journal: EpochJournal;
  readonly network: Network;
  readonly key: string;
  readonly log: Log;
}

/** Aggregators that keep the leaf list of a batch, where so many are known. */
const KEEPERS = 2;

/** Before a batch is submitted, compares the journal with the aggregators' and stores the leaf list with them. */
export class Preparation {
  readonly #options: PreparationOptions;

  constructor(options: PreparationOptions) {
    this.#options = options;
  }

  /**
   * `ready`: nothing is left to do. `incomplete`: an aggregator did not answer; try again. `stray`: an envelope turned
   * up that the journal does not hold, and the epoch is tainted now.
   */
  async prepare(epoch: number): Promise<'ready' | 'incomplete' | 'stray'> {
    const compared = await this.#compare(epoch);
    if (compared === 'stray') return 'stray';
    const stored = await this.#store(epoch);
    return compared === 'ready' && stored ? 'ready' : 'incomplete';
  }

  async #compare(epoch: number): Promise<'ready' | 'incomplete' | 'stray'> {
    const { archives, book, journal } = this.#options;
    let complete = true;
    for (const archive of archives) {
      if ((await book.record(epoch))?.compared.includes(archive.name)) continue;
      const found = await this.#attempt(archive, 'compare', () => findStray(archive, epoch, this.#options));
      if (!found) {
        complete = false;
        continue;
      }
      if (found.value) {
        await journal.taint(epoch, sentence(archive, found.value), found.value.seq);
        return 'stray';
      }
      await book.change(epoch, (record) => ({ ...record, compared: [...record.compared, archive.name] }));
    }
    return complete ? 'ready' : 'incomplete';
  }

  /** Whether as many aggregators keep the list as should: two, or all that keep any. */
  async #store(epoch: number): Promise<boolean> {
    const { archives, book, key } = this.#options;
    const kept = (await book.record(epoch))?.lists ?? [];
    let wanted = Math.min(KEEPERS, archives.length) - kept.length;
    const list = wanted > 0 ? await book.list(epoch) : undefined;
    if (!list) return true;
    let silent = false;
    for (const archive of archives.filter(({ name }) => !kept.includes(name))) {
      const answered = await this.#attempt(archive, 'store', () => archive.store(key, list));
      if (!answered) silent = true;
      if (!answered?.value) continue;
      await book.change(epoch, (record) => ({ ...record, lists: [...record.lists, archive.name] }));
      wanted -= 1;
      if (wanted === 0) break;
    }
    return wanted <= 0 || !silent;
  }

  async #attempt<T>(archive: LeafArchive, what: string, call: () => Promise<T>): Promise<{ value: T } | undefined> {
    try {
      return { value: await call() };
    } catch (error) {
      const fields = { aggregator: shownUrl(archive.name), what, reason: String(error) };
      this.#options.log.warn(fields, 'an aggregator did not help');
      return undefined;
    }
  }
}

function sentence({ name }: LeafArchive, { seq, id }: Stray): string {
  return `${shownUrl(name)} holds envelope ${id} (number ${seq}) of this key, which the journal does not`;
}
