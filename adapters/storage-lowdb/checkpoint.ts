import { rm } from 'node:fs/promises';
import type { Files } from './files.ts';
import { removeSegments } from './segments.ts';
import { type LogNote, writeSnapshot } from './snapshot.ts';
import type { State } from './state.ts';

/** What was durable when the journal changed. */
export interface Moment {
  readonly frames: number;
  readonly commits: number;
  readonly logs: readonly Pick<LogNote, 'name' | 'next' | 'trimmed'>[];
}

export function momentOf({ rows }: State, frames: number): Moment {
  const logs = [...rows.logs].map(([name, { next, trimmed }]) => ({ name, next, trimmed }));
  return { frames, commits: rows.commits, logs };
}

/**
 * Moves what the journals below `number` hold into a snapshot and log segments, then removes them. Runs beside commits
 * in small steps; killed anywhere, it leaves the old snapshot and all journals. Returns the size of the snapshot.
 */
export async function checkpoint(
  files: Files,
  state: State,
  number: number,
  { frames, commits, logs }: Moment,
  hotRecords: number,
): Promise<number> {
  const notes: LogNote[] = [];
  const dropped: number[] = [];
  for (const { name, next, trimmed } of logs) {
    const segments = state.segmentsOf(name);
    await segments.append(state.rows.log(name), next - 1);
    dropped.push(...segments.dropTrimmed(trimmed));
    notes.push({ name, next, trimmed, segments: segments.notes() });
  }
  const bytes = await writeSnapshot(files, number, { frames, commits, logs: notes }, state.rows);
  for (const { name, next } of logs) {
    const log = state.rows.log(name);
    log.cool(Math.min(next, log.next - hotRecords));
  }
  for (const kind of ['snapshot', 'journal'] as const) {
    for (const old of await files.numbers(kind)) if (old < number) await rm(files[kind](old));
  }
  await removeSegments(files, dropped);
  return bytes;
}
