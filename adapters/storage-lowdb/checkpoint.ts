import { messageOf } from '../../core/platform/problem.ts';
import type { Files } from './files.ts';
import { FileLayer } from './layers/layer-file.ts';
import { LayerWriter } from './layers/layer-writer.ts';
import { MemoryLayer } from './layers/memory-layer.ts';
import { mergeLayers } from './layers/merge.ts';
import type { LogTail } from './log-tail.ts';
import { forgottenOf, isFiltered } from './run-names.ts';
import { removeSegments } from './segments.ts';
import { draftSnapshot, type LogNote, publishSnapshot, removeDraft } from './snapshot.ts';
import type { State } from './state.ts';

/** The durable state when the journal changed and the active layer was frozen. */
export interface Moment {
  readonly frames: number;
  /** Of the journal that led to the frozen layer. */
  readonly bytes: number;
  readonly commits: number;
  readonly totals: ReadonlyMap<string, bigint>;
  readonly logs: readonly (Pick<LogNote, 'name' | 'next' | 'trimmed' | 'gaps'> & { readonly tail: LogTail })[];
}

/** Notes the durable state of now, and freezes it. */
export function freeze({ tables }: State, frames: number, bytes: number): Moment {
  const logs = [...tables.logs].map(([name, tail]) => {
    const { next, trimmed, gaps } = tail;
    return { name, next, trimmed, gaps: [...gaps], tail };
  });
  tables.freeze();
  return { frames, bytes, commits: tables.commits, totals: new Map(tables.totals), logs };
}

/** Whether the system refused a write because the disk is full, or the quota of its user. */
export function isNoRoom(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/**
 * Moves what the journals below `number` hold into layers and log segments, then removes them. Runs beside commits in
 * small steps; killed anywhere, it leaves the old snapshot and all it names. Rejects with what the disk said: where that
 * was that there is no room, everything is as before and it may be tried again.
 */
export async function checkpoint(
  files: Files,
  state: State,
  number: number,
  moment: Moment,
  hotRecords: number,
): Promise<void> {
  const { tables } = state;
  const undo = moment.logs.map(({ name }) => state.segmentsOf(name).mark());
  const drafted = await draft(files, state, number, moment).catch(async (error) => {
    if (!isNoRoom(error)) throw error;
    const undone = [...undo.map((back) => back()), removeDraft(files, number), files.disk.remove(files.layer(number))];
    for (const { status, reason } of (await Promise.allSettled(undone)) as PromiseRejectedResult[]) {
      if (status === 'rejected') throw reason;
    }
    throw error;
  });
  const { merged, layers, dropped } = drafted;
  // From here on the new snapshot may be the one that a restart finds.
  await publishSnapshot(files, number).catch((error) => {
    throw new Error(messageOf(error), { cause: error });
  });
  tables.replaceBelow(layers);
  for (const { next, tail } of moment.logs) tail.cool(Math.min(next, tail.next - hotRecords));
  for (const old of merged) if (old instanceof FileLayer) await old.retire();
  await removeOld(files, number, layers);
  await removeSegments(files, dropped);
}

/** Writes all that the snapshot names, and the snapshot under another name. */
async function draft(files: Files, state: State, number: number, { frames, bytes, commits, totals, logs }: Moment) {
  const { tables } = state;
  const notes: LogNote[] = [];
  const dropped: number[] = [];
  for (const { name, next, trimmed, gaps, tail } of logs) {
    const segments = state.segmentsOf(name);
    await segments.append(tail, next - 1);
    dropped.push(...segments.dropTrimmed(trimmed));
    notes.push({ name, next, trimmed, gaps, segments: segments.notes() });
  }
  const trimmed = new Map(logs.map((log) => [log.name, log.trimmed]));
  const { merged, kept } = choose(tables.below, bytes);
  const layer = await writeLayer(files, number, merged, state, trimmed);
  const layers = layer ? [layer, ...kept] : kept;
  try {
    // The snapshot must not outlive the directory entries of the files that it names.
    await files.sync();
    const { floor } = tables;
    const named = layers.map(({ note }) => note);
    await draftSnapshot(files, number, { frames, commits, floor, layers: named, logs: notes, totals });
  } catch (error) {
    await layer?.close();
    throw error;
  }
  return { merged, layers, dropped };
}

/** Files of about one size that come together before they become one. */
const TOGETHER = 4;

/**
 * The layers that become one, newest first, and those below that stay as they are. A file is written again when the
 * layers merged above it are three times as large. So there are few layers, and each byte is written a few times
 * only.
 */
function choose(
  layers: readonly (MemoryLayer | FileLayer)[],
  frozenBytes: number,
): { merged: (MemoryLayer | FileLayer)[]; kept: FileLayer[] } {
  const files = layers.filter((layer) => layer instanceof FileLayer);
  let above = frozenBytes;
  let merged = 0;
  for (const [i, { note }] of files.entries()) {
    if (note.bytes * (TOGETHER - 1) <= above) merged = i + 1;
    above += note.bytes;
  }
  const inMemory = layers.filter((layer) => layer instanceof MemoryLayer);
  return { merged: [...inMemory, ...files.slice(0, merged)], kept: files.slice(merged) };
}

async function writeLayer(
  files: Files,
  number: number,
  layers: readonly (MemoryLayer | FileLayer)[],
  { cache }: State,
  trimmed: ReadonlyMap<string, number>,
): Promise<FileLayer | undefined> {
  if (layers.every((layer) => layer.names().length === 0)) return undefined;
  const file = await files.disk.open(files.layer(number), 'w');
  let bytes: number;
  try {
    const writer = new LayerWriter(file);
    await mergeLayers(layers, writer, { isFiltered, forgottenOf: (run) => forgottenOf(run, trimmed) });
    bytes = await writer.finish();
  } finally {
    await file.close();
  }
  return FileLayer.open(files, { number, bytes }, cache);
}

async function removeOld(files: Files, number: number, layers: readonly FileLayer[]): Promise<void> {
  for (const kind of ['snapshot', 'journal'] as const) {
    for (const old of await files.numbers(kind)) if (old < number) await files.disk.remove(files[kind](old));
  }
  const used = new Set(layers.map(({ note }) => note.number));
  for (const old of await files.numbers('layer')) if (!used.has(old)) await files.disk.remove(files.layer(old));
}
