import { BoundedMap } from '../../../core/platform/bounded-map.ts';
import type { Document } from './document.ts';

const MOST = 2_048;
/** UTF-16 units of a value; larger ones are read again each time, so that all together stay small. */
const LARGEST = 4_096;

/**
 * Documents as they were last found in files, whose blocks would be searched and decoded again at every look. The
 * owner clears it when the files change.
 */
export class HotDocuments {
  #found = new BoundedMap<string, Document>(MOST);

  get(run: string, key: string): Document | undefined {
    return this.#found.get(`${run}\0${key}`);
  }

  keep(run: string, key: string, { version, expires, entries, value }: Document): void {
    if (value.length <= LARGEST) this.#found.set(`${run}\0${key}`, { version, expires, entries, value });
  }

  clear(): void {
    if (this.#found.size > 0) this.#found = new BoundedMap(MOST);
  }
}
