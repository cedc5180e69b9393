import type { StoredEntry } from '../../../core/storage/changes.ts';

/** A document as a layer holds it. */
export interface Document {
  readonly version: number;
  /** Absolute Unix milliseconds; Infinity for never. */
  readonly expires: number;
  readonly entries: readonly StoredEntry[];
  readonly value: string;
}

/** Stands where a layer says that there is no document any more. */
export const GONE = Buffer.alloc(0);

const HEAD_BYTES = 20;
const NO_ENTRIES: readonly StoredEntry[] = [];

/** `version`, `expires` as doubles, length of the entries, the entries as `index NUL key NUL`, the value; UTF-8. */
export function encodeDocument({ version, expires, entries, value }: Document): Buffer {
  const texts = entries.map(([index, key]) => `${index}\0${key}\0`).join('');
  const length = Buffer.byteLength(texts);
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + length + Buffer.byteLength(value));
  bytes.writeDoubleLE(version, 0);
  bytes.writeDoubleLE(expires, 8);
  bytes.writeUInt32LE(length, 16);
  bytes.write(texts, HEAD_BYTES);
  bytes.write(value, HEAD_BYTES + length);
  return bytes;
}

export function decodeDocument(bytes: Buffer): Document {
  return new EncodedDocument(bytes);
}

/** Decodes its entries when they are asked for: who only reads never does. */
class EncodedDocument implements Document {
  readonly version: number;
  readonly expires: number;
  readonly value: string;
  readonly #bytes: Buffer;
  readonly #end: number;

  constructor(bytes: Buffer) {
    const end = HEAD_BYTES + bytes.readUInt32LE(16);
    this.version = bytes.readDoubleLE(0);
    this.expires = bytes.readDoubleLE(8);
    this.value = bytes.toString('utf8', end);
    this.#bytes = bytes;
    this.#end = end;
  }

  get entries(): readonly StoredEntry[] {
    if (this.#end === HEAD_BYTES) return NO_ENTRIES;
    return pairs(this.#bytes.toString('utf8', HEAD_BYTES, this.#end).split('\0'));
  }
}

function pairs(texts: readonly string[]): StoredEntry[] {
  const out: StoredEntry[] = [];
  for (let i = 0; i + 1 < texts.length; i += 2) out.push([texts[i]!, texts[i + 1]!]);
  return out;
}
