import { rm } from 'node:fs/promises';
import type { Files } from './files.ts';
import { removeSegments } from './segments.ts';
import { readSnapshot } from './snapshot.ts';
import type { State } from './state.ts';

export interface Recovered {
  /** The journals to replay, in order; none in a new store. */
  readonly journals: readonly number[];
  /** The number of the last frame below them. */
  readonly frames: number;
  readonly snapshotBytes: number;
}

/** Loads the newest snapshot, finds the journals behind it, and removes what no snapshot knows. */
export async function recover(files: Files, state: State): Promise<Recovered> {
  await files.removeTemporary();
  const snapshots = await files.numbers('snapshot');
  const newest = snapshots.at(-1);
  const all = await files.numbers('journal');
  const journals = all.filter((number) => number >= (newest ?? 1));
  journals.forEach((number, i) => {
    const due = (newest ?? 1) + i;
    if (number !== due) throw files.corrupt(files.journal(due), 'is missing');
  });
  const segments = await files.numbers('segment');
  if (journals.length === 0 && (newest !== undefined || segments.length > 0)) {
    throw files.corrupt(files.journal(newest ?? 1), 'is missing');
  }
  const below = newest === undefined ? { frames: 0, snapshotBytes: 0 } : await load(files, newest, state);
  for (const number of snapshots) if (number !== newest) await rm(files.snapshot(number));
  for (const number of all) if (!journals.includes(number)) await rm(files.journal(number));
  const known = new Set([...state.segments.values()].flatMap((log) => log.notes().map((note) => note.number)));
  await removeSegments(
    files,
    segments.filter((number) => !known.has(number)),
  );
  return { ...below, journals };
}

async function load(files: Files, number: number, state: State): Promise<{ frames: number; snapshotBytes: number }> {
  const { head, bytes } = await readSnapshot(files, number, state.rows);
  state.rows.commits = head.commits;
  for (const { name, next, trimmed, segments } of head.logs) {
    const log = state.rows.log(name);
    log.trimmed = trimmed;
    log.startAt(next);
    await state.segmentsOf(name).load(segments, log);
    state.lastSegment = Math.max(state.lastSegment, ...segments.map((segment) => segment.number));
  }
  return { frames: head.frames, snapshotBytes: bytes };
}
