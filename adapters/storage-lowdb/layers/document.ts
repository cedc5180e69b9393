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
  const end = HEAD_BYTES + bytes.readUInt32LE(16);
  return {
    version: bytes.readDoubleLE(0),
    expires: bytes.readDoubleLE(8),
    entries: end === HEAD_BYTES ? NO_ENTRIES : pairs(bytes.toString('utf8', HEAD_BYTES, end).split('\0')),
    value: bytes.toString('utf8', end),
  };
}

function pairs(texts: readonly string[]): StoredEntry[] {
  const out: StoredEntry[] = [];
  for (let i = 0; i + 1 < texts.length; i += 2) out.push([texts[i]!, texts[i + 1]!]);
  return out;
}
