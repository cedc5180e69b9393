import { bytesOfText, Latest } from '../latest.ts';
import type { Document } from './document.ts';

/** At two bytes a character. */
const MOST_BYTES = 8 * 1024 * 1024;
/** UTF-16 units of a value; larger ones are read again each time, as one would push out hundreds. */
const LARGEST = 32 * 1024;

/** A document without its index entries: who reads it needs none, and they are often larger than the value. */
export type FoundDocument = Omit<Document, 'entries'>;

/**
 * Documents as they were last found in files, whose blocks would be searched and decoded again at every look. The
 * owner clears it when the files change.
 */
export class HotDocuments {
  #found = newest();

  get(run: string, key: string): FoundDocument | undefined {
    return this.#found.get(`${run}\0${key}`);
  }

  keep(run: string, key: string, { version, expires, value }: Document): void {
    if (value.length <= LARGEST) this.#found.keep(`${run}\0${key}`, { version, expires, value });
  }

  clear(): void {
    if (this.#found.bytes > 0) this.#found = newest();
  }
}

function newest(): Latest<string, FoundDocument> {
  return new Latest(MOST_BYTES, ({ value }, name) => bytesOfText(value) + 2 * name.length);
}
