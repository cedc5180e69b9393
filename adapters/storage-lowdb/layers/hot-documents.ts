import { BoundedMap } from '../../../core/platform/bounded-map.ts';
import type { Document } from './document.ts';

const MOST = 2_048;
/** UTF-16 units of a value; larger ones are read again each time, so that all together stay small. */
const LARGEST = 4_096;

/**
 * Documents as they were last found in files, whose blocks would be searched and decoded again at every look. One that was asked for
 * once is not decoded: most are asked for once, and what is kept of those is garbage in the old heap. The owner clears it when the files
 * change.
 */
export class HotDocuments {
  #found = new BoundedMap<string, Document>(MOST);
  /** The names of documents that were asked for once. */
  readonly #asked = new Set<string>();

  get(run: string, key: string): Document | undefined {
    return this.#found.get(`${run}\0${key}`);
  }

  /** Notes that it was asked for. */
  keep(run: string, key: string, document: Document): void {
    const name = `${run}\0${key}`;
    if (!this.#asked.delete(name)) {
      if (this.#asked.size >= MOST) this.#asked.clear();
      this.#asked.add(name);
      return;
    }
    const { version, expires, entries, value } = document;
    if (value.length <= LARGEST) this.#found.set(name, { version, expires, entries, value });
  }

  clear(): void {
    if (this.#found.size > 0) this.#found = new BoundedMap(MOST);
    this.#asked.clear();
  }
}
