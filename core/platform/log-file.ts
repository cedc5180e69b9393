import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from './system-clock.ts';

/** Bytes of a log file before the next is begun, and how many older ones are kept: 50 MB at most. */
const MOST_BYTES = 10_000_000;
const KEPT = 4;

/** Names a log's files, the newest first: `mesh.log`, `mesh.log.1` and so on. */
export function logFilesOf(path: string): string[] {
  return [path, ...Array.from({ length: KEPT }, (_, at) => `${path}.${at + 1}`)];
}

/**
 * Returns a function that appends lines to a file which only its owner reads, and begins a new one when it is full.
 * Throws when the file cannot be written to now. Later a line that cannot be written, as on a full disk, is lost: a
 * log must not stop a node. The next line that can be written follows one that says how many were lost.
 */
export function logFile(path: string, mostBytes = MOST_BYTES): (line: string) => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  append('');
  let size = statSync(path).size;
  let lost = 0;
  return (line) => {
    const length = Buffer.byteLength(line);
    try {
      if (size > 0 && size + length > mostBytes) {
        rotate();
        size = 0;
      }
      if (lost > 0)
        append(`${JSON.stringify({ level: 40, time: systemClock.now(), lost, msg: 'log lines were lost' })}\n`);
      append(line);
      lost = 0;
      size += length;
    } catch {
      lost += 1;
    }
  };

  function append(text: string): void {
    appendFileSync(path, text, { mode: 0o600 });
  }

  function rotate(): void {
    const files = logFilesOf(path);
    rmSync(files.at(-1)!, { force: true });
    for (const [at, file] of [...files.slice(0, -1).entries()].reverse()) {
      if (statSync(file, { throwIfNoEntry: false })) renameSync(file, files[at + 1]!);
    }
  }
}
