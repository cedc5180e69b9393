import { basename, join } from 'node:path';
import { messageOf } from '../../core/platform/problem.ts';
import { StorageError } from '../../core/storage/adapter.ts';
import type { Disk, OpenFile } from './disk.ts';
import { decodeFrame, encodeFrame, type Frame, HEADER_BYTES, payloadLength } from './frame.ts';

export type FileKind = 'journal' | 'snapshot' | 'segment' | 'layer';

/** The directory of one store and the names in it. */
export class Files {
  readonly dir: string;
  readonly disk: Disk;

  constructor(dir: string, disk: Disk) {
    this.dir = dir;
    this.disk = disk;
  }

  lock = () => join(this.dir, 'lock');
  journal = (number: number) => join(this.dir, `journal-${number}`);
  snapshot = (number: number) => join(this.dir, `snapshot-${number}`);
  layer = (number: number) => join(this.dir, `layer-${number}`);
  segment = (number: number) => join(this.dir, `segment-${number}`);
  sidecar = (number: number) => join(this.dir, `segment-${number}.index`);

  create(): Promise<void> {
    return this.disk.makeDirectory(this.dir);
  }

  /** The numbers of the files of one kind, ascending. */
  async numbers(kind: FileKind): Promise<number[]> {
    const pattern = new RegExp(`^${kind}-(\\d+)$`);
    const names = await this.disk.list(this.dir);
    return names
      .flatMap((name) => Number(pattern.exec(name)?.[1] ?? []))
      .filter(Boolean)
      .sort((a, b) => a - b);
  }

  /**
   * Removes files that a killed process was still writing, but not the lock that another one is just trying to take.
   */
  async removeTemporary(): Promise<void> {
    for (const name of await this.disk.list(this.dir)) {
      if (name.endsWith('.tmp') && !name.startsWith('lock')) await this.disk.remove(join(this.dir, name));
    }
  }

  /** Makes created, renamed and removed names survive a power cut. */
  sync(): Promise<void> {
    return this.disk.syncDirectory(this.dir);
  }

  full(cause: unknown): StorageError {
    return new StorageError(
      'full',
      `${this.dir} has no room (${messageOf(cause)}); nothing was changed. Make room: it goes on by itself`,
      { cause },
    );
  }

  corrupt(file: string, what: string): StorageError {
    const holds = contentOf(file);
    return new StorageError(
      'corrupt',
      `${file}${holds && `, which holds ${holds},`} ${what}. Nothing was changed. Restore ${this.dir} as a whole from a backup ` +
        '(mesh restore FOLDER --force), or begin with an empty store and a new key.',
    );
  }
}

const CONTENTS: Readonly<Record<FileKind, string>> = {
  journal: 'the newest commits',
  snapshot: 'the list of the other files and the counters',
  segment: 'old records of a log',
  layer: 'documents and indexes',
};

/** A lost file takes this with it; the directory itself takes nothing. */
function contentOf(path: string): string {
  const kind = /^([a-z]+)-\d+$/.exec(basename(path))?.[1];
  return kind !== undefined && Object.hasOwn(CONTENTS, kind) ? CONTENTS[kind as FileKind] : '';
}

const CHUNK = 128 * 1024;

/** Writes lines as frames numbered from 1, a chunk at a time, so that a large file never blocks for long. */
export class FrameWriter {
  readonly #file: OpenFile;
  #lines: string[] = [];
  #length = 0;
  #frames = 0;
  bytes = 0;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  async line(value: unknown): Promise<void> {
    const text = JSON.stringify(value);
    this.#lines.push(text);
    this.#length += text.length;
    if (this.#length >= CHUNK) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const frame = encodeFrame(++this.#frames, this.#lines.join('\n'));
    this.#lines = [];
    this.#length = 0;
    await this.#file.write(frame, this.bytes);
    this.bytes += frame.length;
  }
}

/** The frames of a file one after the other. Stops in front of the first one that is damaged or not whole. */
export async function* readFrames(file: OpenFile): AsyncGenerator<Frame> {
  const window = new FileWindow(file, await file.size());
  for (let at = 0; ; ) {
    const length = payloadLength(await window.read(HEADER_BYTES, at), 0);
    const frame = length === undefined ? undefined : decodeFrame(await window.read(HEADER_BYTES + length, at), 0);
    if (!frame) return;
    yield { ...frame, end: at + frame.end };
    at += frame.end;
  }
}

const WINDOW = 2 * 1024 * 1024;

/** Reads small pieces that follow each other with few large reads. */
class FileWindow {
  readonly #file: OpenFile;
  readonly #size: number;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(file: OpenFile, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** Fewer bytes come back when the file is shorter. The bytes stay as they are when more is read. */
  async read(length: number, position: number): Promise<Buffer> {
    if (position < this.#at || position + length > this.#at + this.#bytes.length) {
      const wanted = Math.min(Math.max(length, WINDOW), Math.max(0, this.#size - position));
      this.#bytes = await this.#file.read(wanted, position);
      this.#at = position;
    }
    return this.#bytes.subarray(position - this.#at, position - this.#at + length);
  }
}
