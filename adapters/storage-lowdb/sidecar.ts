import { type Files, FrameWriter, readFrames } from './files.ts';
import { linesOf } from './frame.ts';
import type { Block, Segment, SegmentNote } from './segments.ts';

/**
 * Writes the positions of a full segment's blocks, so that a start need not read the segment. The file can be made
 * again from the segment, so a missing, torn or foreign one is no damage.
 */
export async function writeSidecar({ disk }: Files, path: string, segment: Segment): Promise<void> {
  const file = await disk.open(path, 'w');
  try {
    const writer = new FrameWriter(file);
    await writer.line([
      [segment.first, segment.records, segment.bytes],
      segment.blocks.map(({ first, at }) => [first, at]),
    ]);
    await writer.flush();
  } finally {
    await file.close();
  }
}

export async function readSidecar({ disk }: Files, path: string, note: SegmentNote): Promise<Segment | undefined> {
  const file = await disk.open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    for await (const frame of readFrames(file)) {
      for (const [facts, blocks] of linesOf(frame.payload) as Iterable<[number[], [number, number][]]>) {
        if (!Array.isArray(facts) || facts.join() !== [note.first, note.records, note.bytes].join()) return undefined;
        const known: Block[] = blocks.map(([first, at]) => ({ first, at }));
        return { ...note, last: note.first + note.records - 1, blocks: known };
      }
    }
    return undefined;
  } finally {
    await file.close();
  }
}
