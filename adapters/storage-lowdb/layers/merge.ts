import { setImmediate } from 'node:timers/promises';
import type { Block } from './block.ts';
import type { FileLayer } from './layer-file.ts';
import type { LayerWriter } from './layer-writer.ts';
import type { MemoryLayer } from './memory-layer.ts';
import type { Cursor, Item } from './run.ts';

/** Milliseconds of work before everybody else has a turn. */
const SLICE = 4;
const CHECK_EVERY = 32;
/** Blocks read at once. */
const AHEAD = 16;

export interface MergeOptions {
  /** Which runs need a filter. */
  readonly isFiltered: (run: string) => boolean;
  /** Keys of a run that nobody will ask for any more. */
  readonly isForgotten: (run: string, key: string) => boolean;
}

/**
 * Writes several layers, newest first, as one. A key whose signs add up to nothing and under which nothing stays is
 * left out.
 */
export async function mergeLayers(
  layers: readonly (MemoryLayer | FileLayer)[],
  writer: LayerWriter,
  { isFiltered, isForgotten }: MergeOptions,
): Promise<void> {
  const names = [...new Set(layers.flatMap((layer) => layer.names()))].sort();
  let began = performance.now();
  let steps = 0;
  for (const name of names) {
    const streams = layers.flatMap((layer) => streamOf(layer, name));
    writer.begin(
      streams.reduce((sum, { size }) => sum + size, 0),
      isFiltered(name),
    );
    for (;;) {
      for (const stream of streams) if (stream.isDry) await stream.fill();
      const merged = step(streams);
      if (!merged) break;
      const { item, sign } = merged;
      const stays = sign !== 0 || item.payload.length > 0;
      if (stays && !isForgotten(name, item.key)) writer.add(item.key, sign, item.payload);
      if (writer.isFull) await writer.flush();
      if (++steps % CHECK_EVERY === 0 && performance.now() - began > SLICE) {
        await setImmediate();
        began = performance.now();
      }
    }
    writer.end(name);
  }
}

/** The next key over all streams, with what the newest says of it. */
function step(streams: readonly Stream[]): { item: Item; sign: number } | undefined {
  let first: Item | undefined;
  let sign = 0;
  for (const { item } of streams) if (item && (!first || item.key < first.key)) first = item;
  if (!first) return undefined;
  for (const stream of streams) {
    if (stream.item?.key !== first.key) continue;
    sign += stream.item.sign;
    stream.next();
  }
  return { item: first, sign };
}

/** A run read from its first to its last key. */
interface Stream {
  readonly size: number;
  readonly item: Item | undefined;
  readonly isDry: boolean;
  next(): void;
  fill(): Promise<void>;
}

function streamOf(layer: MemoryLayer | FileLayer, name: string): Stream[] {
  if ('note' in layer) {
    const run = layer.run(name);
    return run ? [new FileStream(layer, run.outline.firstBlock, run.parts, run.size)] : [];
  }
  const run = layer.run(name);
  return run ? [new MemoryStream(run.cursor(''), run.size)] : [];
}

class MemoryStream implements Stream {
  readonly size: number;
  readonly isDry = false;
  readonly #cursor: Cursor;
  item: Item | undefined;

  constructor(cursor: Cursor, size: number) {
    this.#cursor = cursor;
    this.size = size;
    this.item = cursor.peek();
  }

  next(): void {
    this.#cursor.next();
    this.item = this.#cursor.peek();
  }

  async fill(): Promise<void> {}
}

class FileStream implements Stream {
  readonly size: number;
  item: Item | undefined;
  readonly #layer: FileLayer;
  readonly #end: number;
  #next: number;
  #blocks: Block[] = [];
  #place = 0;

  constructor(layer: FileLayer, firstBlock: number, blocks: number, size: number) {
    this.#layer = layer;
    this.#next = firstBlock;
    this.#end = firstBlock + blocks;
    this.size = size;
  }

  get isDry(): boolean {
    return this.item === undefined && this.#next < this.#end;
  }

  next(): void {
    this.#place++;
    this.#read();
  }

  async fill(): Promise<void> {
    const count = Math.min(AHEAD, this.#end - this.#next);
    this.#blocks = await this.#layer.loadMany(this.#next, count);
    this.#next += count;
    this.#place = 0;
    this.#read();
  }

  #read(): void {
    if (this.#place === this.#blocks[0]?.count) {
      this.#blocks.shift();
      this.#place = 0;
    }
    this.item = this.#blocks[0]?.item(this.#place);
  }
}
