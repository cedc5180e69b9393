import { type Files, FrameWriter, readFrames } from './files.ts';
import { linesOf } from './frame.ts';
import type { LayerNote } from './layers/layer-file.ts';
import type { Gap } from './log-tail.ts';
import type { SegmentNote } from './segments.ts';
import type { StoreChange } from './tables.ts';

/** This program writes format 3. Journals of format 2 had other lines; format 1 kept everything in the snapshot, without layers. */
export const FORMAT = 3;
const OLDEST = 1;

/** The files that make up the store, without the journals from the snapshot's number on. */
export interface Snapshot {
  /** The format of the build that wrote it. */
  readonly format: number;
  /** The number of the last journal frame below. */
  readonly frames: number;
  readonly commits: number;
  readonly floor: number;
  /** Newest first. */
  readonly layers: readonly LayerNote[];
  readonly logs: readonly LogNote[];
  readonly totals: ReadonlyMap<string, bigint>;
  /** Of format 1: the documents. */
  readonly documents: readonly StoreChange[];
}

/** A checkpoint writes these members; the format is its own, and documents are in layers. */
export type NewSnapshot = Omit<Snapshot, 'format' | 'documents'>;

export interface LogNote {
  readonly name: string;
  readonly next: number;
  readonly trimmed: number;
  readonly gaps: readonly Gap[];
  readonly segments: readonly SegmentNote[];
}

/** Format 1 names itself not, and holds the logs here. */
type Head = Pick<Snapshot, 'frames' | 'commits'> &
  Partial<Pick<Snapshot, 'format' | 'floor' | 'layers'>> & { readonly logs?: readonly LogNote[] };

type Line =
  | readonly ['head', Head]
  | readonly ['log', LogNote]
  | Extract<StoreChange, readonly ['put', ...unknown[]]>
  | readonly ['total', counter: string, digits: string]
  | readonly ['end', lines: number];

/** Writes it beside the one the store begins with, and makes it durable. */
export async function draftSnapshot(files: Files, number: number, snapshot: NewSnapshot): Promise<void> {
  const { logs, totals, ...head } = snapshot;
  const file = await files.disk.open(draftOf(files, number), 'w');
  try {
    const writer = new FrameWriter(file);
    await writer.line(['head', { format: FORMAT, ...head }] satisfies Line);
    for (const log of logs) await writer.line(['log', log] satisfies Line);
    for (const [name, total] of totals) await writer.line(['total', name, total.toString()] satisfies Line);
    await writer.line(['end', 1 + logs.length + totals.size] satisfies Line);
    await writer.flush();
    await file.datasync();
  } finally {
    await file.close();
  }
}

export function removeDraft(files: Files, number: number): Promise<void> {
  return files.disk.remove(draftOf(files, number));
}

/** Makes a draft the one the store begins with. */
export async function publishSnapshot(files: Files, number: number): Promise<void> {
  await files.disk.rename(draftOf(files, number), files.snapshot(number));
  await files.sync();
}

function draftOf(files: Files, number: number): string {
  return `${files.snapshot(number)}.tmp`;
}

export async function readSnapshot(files: Files, number: number): Promise<Snapshot> {
  const path = files.snapshot(number);
  const file = await files.disk.open(path, 'r');
  const logs: LogNote[] = [];
  const totals = new Map<string, bigint>();
  const documents: StoreChange[] = [];
  let head: Head | undefined;
  let bytes = 0;
  let lines = 0;
  let whole = false;
  try {
    for await (const frame of readFrames(file)) {
      for (const line of linesOf(frame.payload) as Iterable<Line>) {
        if (line[0] === 'head') head = checkFormat(files, path, line[1]);
        else if (line[0] === 'log') logs.push(line[1]);
        else if (line[0] === 'put') documents.push(line);
        else if (line[0] === 'total') totals.set(line[1], BigInt(line[2]));
        else whole = line[1] === lines;
        lines++;
      }
      bytes = frame.end;
    }
    if (!head || !whole || (await file.size()) !== bytes) throw files.corrupt(path, `is damaged at byte ${bytes}`);
    const ofLogs = (head.logs ?? logs).map((log) => ({ ...log, gaps: log.gaps ?? [] }));
    return { format: 1, floor: 0, layers: [], ...head, logs: ofLogs, totals, documents };
  } finally {
    await file.close();
  }
}

function checkFormat(files: Files, path: string, head: Head): Head {
  const { format = 1 } = head;
  if (format >= OLDEST && format <= FORMAT) return head;
  throw files.corrupt(
    path,
    `has format ${format}, and this program reads formats ${OLDEST} to ${FORMAT}: start it with the release that wrote it, or a newer one`,
  );
}
