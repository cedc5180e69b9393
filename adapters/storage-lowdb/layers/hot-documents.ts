import type { Document } from './document.ts';

/** Misses of one generation; a document stands for several. */
const MOST = 4_096;
const OF_DOCUMENT = 4;
/** UTF-16 units of a value; larger ones are read again each time, so that all together stay small. */
const LARGEST = 4_096;

type Found = Map<string, Map<string, Document | null>>;

/**
 * Documents as they were last found in files, whose blocks would be searched and decoded again at every look, and which
 * were not found there: a commit looks for all that its transactions have read. In two generations, so that looking
 * something up moves nothing. The owner clears it when the files change.
 */
export class HotDocuments {
  #young: Found = new Map();
  #old: Found = new Map();
  #size = 0;

  /** Null for one that no file holds; undefined where that is not known. */
  get(run: string, key: string): Document | null | undefined {
    const found = this.#young.get(run)?.get(key);
    if (found !== undefined) return found;
    const before = this.#old.get(run)?.get(key);
    if (before !== undefined) this.#note(run, key, before);
    return before;
  }

  keep(run: string, key: string, document: Document | undefined): void {
    if (!document) {
      this.#note(run, key, null);
      return;
    }
    const { version, expires, entries, value } = document;
    if (value.length <= LARGEST) this.#note(run, key, { version, expires, entries, value });
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#size = 0;
  }

  #note(run: string, key: string, found: Document | null): void {
    if (this.#size >= MOST) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#size = 0;
    }
    let known = this.#young.get(run);
    if (!known) {
      known = new Map();
      this.#young.set(run, known);
    }
    known.set(key, found);
    this.#size += found ? OF_DOCUMENT : 1;
  }
}
