import { setImmediate } from 'node:timers/promises';
import type { Block } from './block.ts';
import type { FileRun } from './file-run.ts';
import type { FileLayer } from './layer-file.ts';
import type { LayerWriter } from './layer-writer.ts';
import type { MemoryLayer } from './memory-layer.ts';
import type { Cursor, Item } from './run.ts';

/** Milliseconds of work, and keys, before other work has a turn: commits that run in the same turn, and a collection of garbage, add to it. */
const SLICE = 1;
const MOST = 128;
const CHECK_EVERY = 8;
/** Blocks read at once. */
const AHEAD = 16;

export interface MergeOptions {
  /** Which runs need a filter. */
  readonly isFiltered: (run: string) => boolean;
  /** The keys of a run that are never asked for again; undefined when any may be. */
  readonly forgottenOf: (run: string) => ((key: string) => boolean) | undefined;
}

/**
 * Writes several layers, newest first, as one. A key with deltas that add up to 0 and without a document is left out.
 */
export async function mergeLayers(
  layers: readonly (MemoryLayer | FileLayer)[],
  writer: LayerWriter,
  { isFiltered, forgottenOf }: MergeOptions,
): Promise<void> {
  const names = [...new Set(layers.flatMap((layer) => layer.names()))].sort();
  const memories = layers.map(() => new Memory());
  let began = performance.now();
  let steps = 0;
  const isEnough = () => steps === MOST || (steps % CHECK_EVERY === 0 && performance.now() - began > SLICE);
  for (const name of names) {
    const streams = layers.flatMap((layer, place) => streamOf(layer, name, memories[place]!));
    writer.begin(
      streams.reduce((sum, { size }) => sum + size, 0),
      isFiltered(name),
    );
    const isForgotten = forgottenOf(name);
    for (;;) {
      for (const stream of streams) if (stream.isDry) await stream.fill();
      const first = firstOf(streams);
      if (!first) break;
      const key = first.key!;
      let delta = 0;
      for (const stream of streams) if (stream.key === key) delta += stream.delta;
      if ((delta !== 0 || first.hasPayload) && !isForgotten?.(key)) first.write(writer, delta);
      for (const stream of streams) if (stream.key === key) stream.next();
      if (writer.isFull) await writer.flush();
      steps += 1;
      if (isEnough()) {
        await setImmediate();
        began = performance.now();
        steps = 0;
      }
    }
    writer.end(name);
  }
}

/** The stream that holds the next key: of several, the newest. */
function firstOf(streams: readonly Stream[]): Stream | undefined {
  let first: Stream | undefined;
  for (const stream of streams) {
    if (stream.key !== undefined && (!first || stream.key < first.key!)) first = stream;
  }
  return first;
}

/** A run read from its first to its last key. */
interface Stream {
  readonly size: number;
  /** Of the present item; undefined at the end. */
  readonly key: string | undefined;
  readonly delta: number;
  readonly hasPayload: boolean;
  readonly isDry: boolean;
  /** Writes the present item with another delta. */
  write(writer: LayerWriter, delta: number): void;
  next(): void;
  fill(): Promise<void>;
}

/**
 * Memory for the blocks of one layer, each over those before: items are copied out of blocks, and new memory for each of the blocks of a
 * large store would have the whole heap collected again and again.
 */
class Memory {
  #bytes = Buffer.alloc(0);

  for(length: number): Buffer {
    if (this.#bytes.length < length) this.#bytes = Buffer.allocUnsafeSlow(length);
    return this.#bytes;
  }
}

function streamOf(layer: MemoryLayer | FileLayer, name: string, memory: Memory): Stream[] {
  if ('note' in layer) {
    const run = layer.run(name);
    return run ? [new FileStream(layer, run, memory)] : [];
  }
  const run = layer.run(name);
  return run ? [new MemoryStream(run.cursor(''), run.size)] : [];
}

class MemoryStream implements Stream {
  readonly size: number;
  readonly isDry = false;
  readonly #cursor: Cursor;
  #item: Item | undefined;

  constructor(cursor: Cursor, size: number) {
    this.#cursor = cursor;
    this.size = size;
    this.#item = cursor.peek();
  }

  get key(): string | undefined {
    return this.#item?.key;
  }

  get delta(): number {
    return this.#item?.delta ?? 0;
  }

  get hasPayload(): boolean {
    return this.#item?.document !== undefined;
  }

  write(writer: LayerWriter, delta: number): void {
    writer.add(this.#item!.key, delta, this.#item!.document);
  }

  next(): void {
    this.#cursor.next();
    this.#item = this.#cursor.peek();
  }

  async fill(): Promise<void> {}
}

class FileStream implements Stream {
  readonly size: number;
  key: string | undefined;
  delta = 0;
  readonly #layer: FileLayer;
  readonly #end: number;
  #next: number;
  readonly #memory: Memory;
  #blocks: Block[] = [];
  #block = 0;
  #place = 0;

  constructor(layer: FileLayer, { outline: { firstBlock }, parts, size }: FileRun, memory: Memory) {
    this.#layer = layer;
    this.#next = firstBlock;
    this.#end = firstBlock + parts;
    this.size = size;
    this.#memory = memory;
  }

  get isDry(): boolean {
    return this.key === undefined && this.#next < this.#end;
  }

  get hasPayload(): boolean {
    return this.#blocks[this.#block]!.hasPayload(this.#place);
  }

  write(writer: LayerWriter, delta: number): void {
    writer.copy(this.key!, delta, this.#blocks[this.#block]!, this.#place);
  }

  next(): void {
    this.#place++;
    this.#read();
  }

  async fill(): Promise<void> {
    const count = Math.min(AHEAD, this.#end - this.#next);
    const memory = this.#memory.for(this.#layer.bytesOf(this.#next, count));
    this.#blocks = await this.#layer.loadMany(this.#next, count, memory);
    this.#next += count;
    this.#block = 0;
    this.#place = 0;
    this.#read();
  }

  #read(): void {
    if (this.#place === this.#blocks[this.#block]?.count) {
      this.#block++;
      this.#place = 0;
    }
    const block = this.#blocks[this.#block];
    this.key = block?.key(this.#place);
    this.delta = block?.delta(this.#place) ?? 0;
  }
}
