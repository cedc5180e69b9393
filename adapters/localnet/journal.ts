import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** An append-only file of lines `crc32 text`. An appended line is on disk when `append` returns. */
export class Journal {
  readonly path: string;
  readonly #fd: number;
  #size: number;

  /** Opens for appending after the first `size` bytes; anything behind these, a torn tail, is cut. */
  constructor(path: string, size: number) {
    this.path = path;
    this.#size = size;
    this.#fd = openSync(path, 'a', 0o600);
    ftruncateSync(this.#fd, size);
  }

  append(text: string): void {
    const line = Buffer.from(`${checksum(text)} ${text}\n`);
    try {
      for (let done = 0; done < line.length; ) done += writeSync(this.#fd, line, done);
      fdatasyncSync(this.#fd);
      this.#size += line.length;
    } catch (error) {
      ftruncateSync(this.#fd, this.#size);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

export interface JournalContents {
  readonly lines: readonly string[];
  /** Bytes up to the end of the last whole line. */
  readonly size: number;
}

/** Reads a journal up to a torn tail. Damage that is followed by whole lines is no torn tail, and is refused. */
export function readJournal(path: string): JournalContents {
  const bytes = readFileSync(path);
  const lines: string[] = [];
  let size = 0;
  while (size < bytes.length) {
    const end = bytes.indexOf(0x0a, size);
    const line = end < 0 ? '' : bytes.toString('utf8', size, end);
    if (end < 0 || !isWhole(line)) break;
    lines.push(line.slice(9));
    size = end + 1;
  }
  if (size < bytes.length && !mayBeTorn(bytes.subarray(size))) {
    throw new Error(
      `The localnet journal ${path}, which holds the transactions, is damaged at byte ${size}. Restore the folder, or remove it to begin a new chain.`,
    );
  }
  return { lines, size };
}

/** Shorter than any entry. */
const SHORT = 24;
const UNFILLED = Buffer.alloc(2);

/**
 * Whether the rest of a journal may be a line that was being written when the power went: it was not written to its end,
 * or parts of it were never filled in. A line that is there from end to end was acknowledged, and damaged later.
 */
function mayBeTorn(rest: Buffer): boolean {
  const end = rest.indexOf(0x0a);
  if (end >= 0 && end + 1 < rest.length) return false;
  if (rest.length < SHORT || rest[0] === 0 || rest.includes(UNFILLED)) return true;
  return end < 0 && !isWhole(rest.toString('utf8', 0, rest.length - 1));
}

function isWhole(line: string): boolean {
  return line.slice(0, 9) === `${checksum(line.slice(9))} `;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
