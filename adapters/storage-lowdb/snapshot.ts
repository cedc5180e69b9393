import { open, rename } from 'node:fs/promises';
import type { Change } from '../../core/storage/changes.ts';
import type { Rows } from '../../core/storage/rows.ts';
import { type Files, FrameWriter, readFrames } from './files.ts';
import { linesOf } from './frame.ts';
import type { SegmentNote } from './segments.ts';

/** Everything in journals below the snapshot's number is in it. */
export interface SnapshotHead {
  /** The number of the last journal frame below. */
  readonly frames: number;
  readonly commits: number;
  readonly logs: readonly LogNote[];
}

export interface LogNote {
  readonly name: string;
  readonly next: number;
  readonly trimmed: number;
  readonly segments: readonly SegmentNote[];
}

type Line = readonly ['head', SnapshotHead] | Change | readonly ['end', lines: number];

/**
 * Writes a snapshot while commits go on. A document may be in it or not, older or newer: the journal from this number
 * on holds every change since, and applying those again is harmless. Returns its size.
 */
export async function writeSnapshot(files: Files, number: number, head: SnapshotHead, rows: Rows): Promise<number> {
  const temporary = `${files.snapshot(number)}.tmp`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    const writer = new FrameWriter(handle);
    let lines = 1;
    await writer.line(['head', head] satisfies Line);
    for (const change of changesOf(rows)) {
      await writer.line(change satisfies Line);
      lines++;
    }
    await writer.line(['end', lines] satisfies Line);
    await writer.flush();
    await handle.datasync();
    await rename(temporary, files.snapshot(number));
    await files.sync();
    return writer.bytes;
  } finally {
    await handle.close();
  }
}

/** Gives the head and applies the rest to the rows. */
export async function readSnapshot(
  files: Files,
  number: number,
  rows: Rows,
): Promise<{ head: SnapshotHead; bytes: number }> {
  const file = files.snapshot(number);
  const handle = await open(file, 'r');
  let head: SnapshotHead | undefined;
  let bytes = 0;
  let lines = 0;
  let whole = false;
  try {
    for await (const frame of readFrames(handle)) {
      for (const line of linesOf(frame.payload) as Iterable<Line>) {
        if (line[0] === 'head') head = line[1];
        else if (line[0] === 'end') whole = line[1] === lines;
        else rows.apply(line);
        lines++;
      }
      bytes = frame.end;
    }
    if (!head || !whole || (await handle.stat()).size !== bytes)
      throw files.corrupt(file, `is damaged at byte ${bytes}`);
    return { head, bytes };
  } finally {
    await handle.close();
  }
}

function* changesOf(rows: Rows): Generator<Change> {
  for (const [name, total] of [...rows.totals]) yield ['total', name, total.toString()];
  for (const { collection, id, version, value, entries, expires } of rows.documents()) {
    const pairs = entries.map(({ index, key }) => [index, key] as const);
    yield ['put', collection, id, version, value, pairs, Number.isFinite(expires) ? expires : null];
  }
}
