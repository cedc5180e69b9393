import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../../core/storage/adapter.ts';
import { decodeFrame, encodeFrame, type Frame, HEADER_BYTES, payloadLength } from './frame.ts';

/** The directory of one store and the names in it. */
export class Files {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  lock = () => join(this.dir, 'lock');
  journal = (number: number) => join(this.dir, `journal-${number}`);
  snapshot = (number: number) => join(this.dir, `snapshot-${number}`);
  segment = (number: number) => join(this.dir, `segment-${number}`);
  sidecar = (number: number) => join(this.dir, `segment-${number}.index`);

  create(): Promise<unknown> {
    return mkdir(this.dir, { recursive: true, mode: 0o700 });
  }

  /** The numbers of the files of one kind, ascending. */
  async numbers(kind: 'journal' | 'snapshot' | 'segment'): Promise<number[]> {
    const pattern = new RegExp(`^${kind}-(\\d+)$`);
    const names = await readdir(this.dir);
    return names
      .flatMap((name) => Number(pattern.exec(name)?.[1] ?? []))
      .filter(Boolean)
      .sort((a, b) => a - b);
  }

  /** Removes what a killed process was still writing, but not the lock that another one is just trying to take. */
  async removeTemporary(): Promise<void> {
    for (const name of await readdir(this.dir)) {
      if (name.endsWith('.tmp') && !name.startsWith('lock')) await rm(join(this.dir, name), { force: true });
    }
  }

  /** Makes created, renamed and removed names survive a power cut. */
  async sync(): Promise<void> {
    const handle = await open(this.dir, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  corrupt(file: string, what: string): StorageError {
    return new StorageError(
      'corrupt',
      `${file} ${what}. Nothing was changed. Restore ${this.dir} as a whole from a backup, or move it away to begin with an empty store.`,
    );
  }
}

export async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Fewer bytes come back when the file is shorter. */
export async function readAt(handle: FileHandle, length: number, position: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

const CHUNK = 128 * 1024;

/** Writes lines as frames numbered from 1, a chunk at a time, so that a large file never blocks for long. */
export class FrameWriter {
  readonly #handle: FileHandle;
  #lines: string[] = [];
  #length = 0;
  #frames = 0;
  bytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
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
    await writeAll(this.#handle, frame, this.bytes);
    this.bytes += frame.length;
  }
}

/** The frames of a file one after the other. Stops in front of the first one that is damaged or not whole. */
export async function* readFrames(handle: FileHandle): AsyncGenerator<Frame> {
  const file = new FileWindow(handle);
  for (let at = 0; ; ) {
    const length = payloadLength(await file.read(HEADER_BYTES, at), 0);
    const frame = length === undefined ? undefined : decodeFrame(await file.read(HEADER_BYTES + length, at), 0);
    if (!frame) return;
    yield { ...frame, end: at + frame.end };
    at += frame.end;
  }
}

const WINDOW = 2 * 1024 * 1024;

/** Reads small pieces that follow each other with few large reads. */
class FileWindow {
  readonly #handle: FileHandle;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Fewer bytes come back when the file is shorter. The bytes stay as they are when more is read. */
  async read(length: number, position: number): Promise<Buffer> {
    if (position < this.#at || position + length > this.#at + this.#bytes.length) {
      this.#bytes = await readAt(this.#handle, Math.max(length, WINDOW), position);
      this.#at = position;
    }
    return this.#bytes.subarray(position - this.#at, position - this.#at + length);
  }
}
