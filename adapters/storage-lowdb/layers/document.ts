import type { StoredEntry } from '../../../core/storage/changes.ts';

/** A document as a layer holds it. */
export interface Document {
  readonly version: number;
  /** Absolute Unix milliseconds; Infinity for never. */
  readonly expires: number;
  readonly entries: readonly StoredEntry[];
  readonly value: string;
}

const HEAD_BYTES = 20;
const NO_ENTRIES: readonly StoredEntry[] = [];

/** At least as many bytes as `writeDocument` takes. */
export function mostBytesOf({ entries, value }: Document): number {
  let units = value.length;
  for (const [index, key] of entries) units += index.length + key.length + 2;
  return HEAD_BYTES + 3 * units;
}

/**
 * `version`, `expires` as doubles, length of the entries, the entries as `index NUL key NUL`, the value; UTF-8. Gives
 * where it ends.
 */
export function writeDocument({ version, expires, entries, value }: Document, bytes: Buffer, at: number): number {
  let texts = '';
  for (const [index, key] of entries) texts += `${index}\0${key}\0`;
  const length = texts === '' ? 0 : bytes.write(texts, at + HEAD_BYTES);
  bytes.writeDoubleLE(version, at);
  bytes.writeDoubleLE(expires, at + 8);
  bytes.writeUInt32LE(length, at + 16);
  const end = at + HEAD_BYTES + length;
  return end + bytes.write(value, end);
}

/**
 * A document in bytes, decoded on demand: a commit that only writes over it needs no value, and a mere read no
 * entries.
 */
export class StoredDocument implements Document {
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #end: number;

  constructor(bytes: Buffer, from: number, end: number) {
    this.#bytes = bytes;
    this.#from = from;
    this.#end = end;
  }

  get version(): number {
    return this.#bytes.readDoubleLE(this.#from);
  }

  get expires(): number {
    return this.#bytes.readDoubleLE(this.#from + 8);
  }

  get entries(): readonly StoredEntry[] {
    const length = this.#bytes.readUInt32LE(this.#from + 16);
    if (length === 0) return NO_ENTRIES;
    const from = this.#from + HEAD_BYTES;
    return pairs(this.#bytes.toString('utf8', from, from + length).split('\0'));
  }

  get value(): string {
    const from = this.#from + HEAD_BYTES + this.#bytes.readUInt32LE(this.#from + 16);
    return this.#bytes.toString('utf8', from, this.#end);
  }
}

function pairs(texts: readonly string[]): StoredEntry[] {
  const out: StoredEntry[] = [];
  for (let i = 0; i + 1 < texts.length; i += 2) out.push([texts[i]!, texts[i + 1]!]);
  return out;
}
