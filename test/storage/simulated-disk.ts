import { dirname } from 'node:path';
import type { Disk, OpenFile } from '../../adapters/storage-lowdb/disk.ts';

/** What was asked of the disk, in order. Data belongs to files, names to the directory. */
type Step =
  | { readonly kind: 'write'; readonly file: number; readonly position: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: number; readonly length: number }
  | { readonly kind: 'datasync'; readonly file: number }
  | { readonly kind: 'name'; readonly path: string; readonly file: number }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'sync directory' }
  | { readonly kind: 'mark'; readonly value: number };

type NameStep = Extract<Step, { kind: 'name' | 'rename' | 'remove' }>;
type DataStep = Extract<Step, { kind: 'write' | 'truncate' }>;

/** What a disk does with what was not synced when the power went. */
export interface Loss {
  /** Which of so many unsynced changes of names are kept. */
  readonly names: (place: number, count: number) => boolean;
  /** What of so many unsynced changes of one file is kept, which is so many bytes from a position on. */
  readonly data: (place: number, count: number, bytes: number, position: number) => Fate;
}

/**
 * Whole, torn in the middle, as zeros, or not at all; or the file grew and only these of its sectors of 512 bytes were
 * written; or its first bytes only, with or without zeros behind them.
 */
type Fate =
  | 'whole'
  | 'torn'
  | 'zeros'
  | 'lost'
  | { readonly sectors: (sector: number) => boolean }
  | { readonly first: number; readonly filled: boolean };

type Content = ReadonlyMap<string, Buffer>;

/** A disk in memory that remembers every step, and can be cut off after any of them. */
export class SimulatedDisk implements Disk {
  readonly steps: Step[] = [];
  /** Called before every step; what it throws is what the disk answers. */
  fault: ((kind: Step['kind'] | 'open', path: string) => void) | undefined;
  readonly #start: Content;
  readonly #names = new Map<string, number>();
  readonly #files: Buffer[] = [];
  readonly #paths: string[] = [];

  constructor(start: Content = new Map()) {
    this.#start = start;
    for (const [path, bytes] of start) this.#names.set(path, this.#add(path, bytes));
  }

  /** Notes something that happened outside, between two steps. */
  mark(value: number): void {
    this.steps.push({ kind: 'mark', value });
  }

  /** What is on the disk when the power goes after so many steps. */
  after(count: number, loss: Loss): Map<string, Buffer> {
    const steps = this.steps.slice(0, count);
    const files: Buffer[] = [...this.#start.values()];
    const names = new Map([...this.#start.keys()].map((path, file) => [path, file]));
    const synced = steps.findLastIndex(({ kind }) => kind === 'sync directory');
    const pending = steps.filter((step, i): step is NameStep => isName(step) && i > synced);
    steps.forEach((step, i) => {
      if (isName(step) && (i < synced || loss.names(pending.indexOf(step), pending.length))) rename(names, step);
    });
    for (const file of new Set([...names.values()])) {
      const last = steps.findLastIndex((step) => step.kind === 'datasync' && step.file === file);
      const unsynced = steps.filter((step, i): step is DataStep => isData(step, file) && i > last);
      for (const [i, step] of steps.entries()) {
        if (!isData(step, file)) continue;
        const [bytes, position] = step.kind === 'write' ? [step.bytes.length, step.position] : [0, step.length];
        const fate = i < last ? 'whole' : loss.data(unsynced.indexOf(step), unsynced.length, bytes, position);
        files[file] = change(files[file] ?? Buffer.alloc(0), step, fate);
      }
    }
    return new Map([...names].map(([path, file]) => [path, files[file] ?? Buffer.alloc(0)]));
  }

  async makeDirectory(): Promise<void> {}

  async list(directory: string): Promise<string[]> {
    return [...this.#names.keys()]
      .filter((path) => dirname(path) === directory)
      .map((path) => path.slice(directory.length + 1));
  }

  async syncDirectory(path: string): Promise<void> {
    this.#step({ kind: 'sync directory' }, path);
  }

  async removeDirectory(): Promise<void> {
    throw new Error('nothing here removes directories');
  }

  async open(path: string, mode: 'r' | 'r+' | 'w'): Promise<OpenFile> {
    this.fault?.('open', path);
    let file = this.#names.get(path);
    if (file === undefined) {
      if (mode !== 'w') throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
      file = this.#add(path, Buffer.alloc(0));
      this.#step({ kind: 'name', path, file }, path);
    } else if (mode === 'w') this.#step({ kind: 'truncate', file, length: 0 }, path);
    return this.#handle(file);
  }

  async size(path: string): Promise<number | undefined> {
    const file = this.#names.get(path);
    return file === undefined ? undefined : this.#files[file]!.length;
  }

  async rename(from: string, to: string): Promise<void> {
    this.#step({ kind: 'rename', from, to }, from);
  }

  async remove(path: string): Promise<void> {
    if (this.#names.has(path)) this.#step({ kind: 'remove', path }, path);
  }

  #handle(file: number): OpenFile {
    const path = this.#paths[file]!;
    return {
      read: async (length, position) => Buffer.from(this.#files[file]!.subarray(position, position + length)),
      write: async (bytes, position) => this.#step({ kind: 'write', file, position, bytes: Buffer.from(bytes) }, path),
      truncate: async (length) => this.#step({ kind: 'truncate', file, length }, path),
      datasync: async () => this.#step({ kind: 'datasync', file }, path),
      size: async () => this.#files[file]!.length,
      close: async () => {},
    };
  }

  #step(step: Step, path: string): void {
    this.fault?.(step.kind, path);
    this.steps.push(step);
    if (isName(step)) rename(this.#names, step);
    else if (step.kind === 'write' || step.kind === 'truncate') {
      this.#files[step.file] = change(this.#files[step.file]!, step, 'whole');
    }
  }

  #add(path: string, bytes: Buffer): number {
    this.#paths.push(path);
    return this.#files.push(bytes) - 1;
  }
}

function isName(step: Step): step is NameStep {
  return step.kind === 'name' || step.kind === 'rename' || step.kind === 'remove';
}

function isData(step: Step, file: number): step is DataStep {
  return (step.kind === 'write' || step.kind === 'truncate') && step.file === file;
}

function rename(names: Map<string, number>, step: NameStep): void {
  if (step.kind === 'name') names.set(step.path, step.file);
  else if (step.kind === 'remove') names.delete(step.path);
  else {
    const file = names.get(step.from);
    // The name before may have been lost; then there is nothing that gets another one.
    if (file !== undefined) names.set(step.to, file);
    names.delete(step.from);
  }
}

function change(bytes: Buffer, step: DataStep, fate: Fate): Buffer {
  if (fate === 'lost') return bytes;
  if (step.kind === 'truncate') {
    const longer = Math.max(0, step.length - bytes.length);
    return Buffer.concat([bytes.subarray(0, step.length), Buffer.alloc(longer)]);
  }
  const kept = keptOf(step, fate, bytes);
  const gap = Buffer.alloc(Math.max(0, step.position - bytes.length));
  const rest = bytes.subarray(Math.min(bytes.length, step.position + kept.length));
  return Buffer.concat([bytes.subarray(0, step.position), gap, kept, rest]);
}

const SECTOR = 512;

function keptOf({ bytes, position }: Extract<Step, { kind: 'write' }>, fate: Fate, before: Buffer): Buffer {
  if (fate === 'whole') return bytes;
  if (fate === 'torn') return bytes.subarray(0, bytes.length >> 1);
  if (fate === 'zeros' || fate === 'lost') return Buffer.alloc(bytes.length);
  if ('first' in fate) {
    const first = bytes.subarray(0, fate.first);
    return fate.filled ? Buffer.concat([first, Buffer.alloc(bytes.length - first.length)]) : first;
  }
  const kept = Buffer.from(bytes);
  for (let at = 0; at < kept.length; at++) {
    const sector = Math.floor((position + at) / SECTOR);
    if (!fate.sectors(sector)) kept[at] = before[position + at] ?? 0;
  }
  return kept;
}
