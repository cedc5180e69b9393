import { type Document, mostBytesOf, StoredDocument, writeDocument } from './document.ts';

const CHUNK = 256 * 1024;
/** Larger ones have memory of their own, so that little of a chunk is left over. */
const LARGE = CHUNK / 8;

/**
 * Memory for the documents of the layer that is written to. They stay until the next checkpoint: as strings and arrays the
 * garbage collector would copy each of them twice, as bytes it does not look at them. Documents that others replace stay too, so
 * a room takes as much as the journal.
 */
export class DocumentRoom {
  #bytes = Buffer.alloc(0);
  #at = 0;

  keep(document: Document): StoredDocument {
    const most = mostBytesOf(document);
    if (most > LARGE) {
      const own = Buffer.allocUnsafeSlow(most);
      return new StoredDocument(own, 0, writeDocument(document, own, 0));
    }
    if (this.#at + most > this.#bytes.length) {
      this.#bytes = Buffer.allocUnsafeSlow(CHUNK);
      this.#at = 0;
    }
    const from = this.#at;
    this.#at = writeDocument(document, this.#bytes, from);
    return new StoredDocument(this.#bytes, from, this.#at);
  }
}
