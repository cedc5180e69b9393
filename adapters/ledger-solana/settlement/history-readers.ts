import type { Witnesses } from '../witnesses.ts';
import { History } from './history.ts';

/** Readers whose place in a history is remembered. */
const READERS = 8;

/** Readers of histories by where they stand, so that the way back to a cursor is not walked for every page. */
export class HistoryReaders {
  readonly #witnesses: Witnesses;
  readonly #pageSize: number | undefined;
  #readers: History[] = [];

  constructor(witnesses: Witnesses, pageSize?: number) {
    this.#witnesses = witnesses;
    this.#pageSize = pageSize;
  }

  /** The reader that stands behind this signature, taken out while it is used; a new one when there is none. */
  take(address: string, after: string | undefined): History {
    const known = this.#readers.find((one) => one.address === address && one.after === after);
    this.#readers = this.#readers.filter((one) => one !== known);
    return known ?? new History(this.#witnesses, address, after, this.#pageSize);
  }

  putBack(reader: History): void {
    this.#readers = [reader, ...this.#readers].slice(0, READERS);
  }
}
