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
    const text = line.slice(9);
    if (end < 0 || line !== `${checksum(text)} ${text}`) break;
    lines.push(text);
    size = end + 1;
  }
  const next = bytes.indexOf(0x0a, size);
  if (next >= 0 && next + 1 < bytes.length) {
    throw new Error(`The localnet journal ${path} is damaged at byte ${size}; restore the folder or remove it.`);
  }
  return { lines, size };
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
