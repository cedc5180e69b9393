import type { Files } from './files.ts';
import { FileLayer } from './layers/layer-file.ts';
import { LogTail } from './log-tail.ts';
import { removeSegments } from './segments.ts';
import { readSnapshot } from './snapshot.ts';
import type { State } from './state.ts';

export interface Recovered {
  /** The journals to replay, in order; none in a new store. */
  readonly journals: readonly number[];
  /** The number of the last frame below them. */
  readonly frames: number;
  /** Of the snapshot; undefined without one. */
  readonly format: number | undefined;
}

/**
 * Opens the files that the newest snapshot names, finds the journals behind it, and removes files that no snapshot
 * knows.
 */
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
  const layers = await files.numbers('layer');
  if (journals.length === 0 && (newest !== undefined || segments.length > 0 || layers.length > 0)) {
    throw files.corrupt(files.journal(newest ?? 1), 'is missing');
  }
  const { frames, format } = newest === undefined ? { frames: 0, format: undefined } : await load(files, newest, state);
  for (const number of snapshots) if (number !== newest) await files.disk.remove(files.snapshot(number));
  for (const number of all) if (!journals.includes(number)) await files.disk.remove(files.journal(number));
  const used = new Set(state.tables.below.map((layer) => layer instanceof FileLayer && layer.note.number));
  for (const number of layers) if (!used.has(number)) await files.disk.remove(files.layer(number));
  const known = new Set([...state.segments.values()].flatMap((log) => log.notes().map((note) => note.number)));
  await removeSegments(
    files,
    segments.filter((number) => !known.has(number)),
  );
  return { frames, format, journals };
}

async function load(files: Files, number: number, state: State) {
  const { format, frames, commits, floor, layers, logs, totals, documents } = await readSnapshot(files, number);
  const { tables } = state;
  tables.commits = commits;
  tables.floor = floor;
  for (const [name, total] of totals) tables.totals.set(name, total);
  const opened: FileLayer[] = [];
  // Noted before the next is opened, so that a failure closes all that are open.
  for (const note of layers) {
    opened.push(await FileLayer.open(files, note, state.cache));
    tables.replaceBelow(opened);
  }
  for (const { name, next, trimmed, gaps, segments } of logs) {
    tables.logs.set(name, LogTail.behind(next, trimmed, gaps));
    await state.segmentsOf(name).load(segments);
    state.lastSegment = Math.max(state.lastSegment, ...segments.map((segment) => segment.number));
  }
  if (documents.length > 0) {
    const beneath = await state.cache.run(() => state.beneath(documents));
    for (const document of documents) tables.apply(document, beneath);
  }
  // Format 1 had the postings of old records in memory only.
  if (format === 1) {
    for (const { name } of logs) {
      for await (const [id, { postings }] of state.segmentsOf(name).records()) tables.note(name, id, postings);
    }
  }
  return { frames, format };
}
