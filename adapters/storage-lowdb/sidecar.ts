import { open } from 'node:fs/promises';
import { FrameWriter, readFrames } from './files.ts';
import { linesOf } from './frame.ts';
import type { Segment, SegmentNote } from './segments.ts';

/**
 * What spares reading a full segment at start: its blocks and its postings. It can be made again from the segment, so
 * a missing, torn or foreign one is no damage.
 */
export async function writeSidecar(path: string, segment: Segment): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    const writer = new FrameWriter(handle);
    await writer.line(['segment', segment.first, segment.records, segment.bytes]);
    await writer.line(['blocks', segment.blocks.map(({ first, at }) => [first, at])]);
    for (const [posting, ids] of segment.postings) await writer.line(['posting', posting, ids]);
    await writer.line(['end']);
    await writer.flush();
  } finally {
    await handle.close();
  }
}

export async function readSidecar(path: string, note: SegmentNote): Promise<Segment | undefined> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return undefined;
  const segment: Segment = { ...note, last: note.first + note.records - 1, blocks: [], postings: new Map() };
  let fits = false;
  let whole = false;
  try {
    for await (const frame of readFrames(handle)) {
      for (const [kind, ...rest] of linesOf(frame.payload)) {
        if (kind === 'segment') fits = rest.join() === [note.first, note.records, note.bytes].join();
        else if (kind === 'blocks') segment.blocks = rest[0].map(([first, at]: [number, number]) => ({ first, at }));
        else if (kind === 'posting') segment.postings.set(rest[0], rest[1]);
        else if (kind === 'end') whole = true;
      }
    }
  } finally {
    await handle.close();
  }
  return fits && whole ? segment : undefined;
}
