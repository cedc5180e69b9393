import fs from 'node:fs';
import fsp, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Dice } from '../storage/dice.ts';

interface Folder {
  readonly entries: Map<string, Inode>;
}
interface File {
  readonly id: number;
}
type Inode = Folder | File;

type Step =
  | { readonly kind: 'entry'; readonly folder: Folder; readonly change: (apply: boolean) => void }
  | { readonly kind: 'sync folder'; readonly folder: Folder }
  | { readonly kind: 'write'; readonly file: number; readonly bytes: Buffer; readonly position: number }
  | { readonly kind: 'truncate'; readonly file: number; readonly length: number }
  | { readonly kind: 'sync'; readonly file: number }
  | { readonly kind: 'mark'; readonly value: unknown };

/**
 * Watches what this process does below a folder through node:fs, and makes again what a power cut would have left of it:
 * names that no sync of their folder made durable and bytes that no sync of their file did are kept, lost or torn by dice.
 * Names are lost independently of each other, which is worse than what the journals of ext4 and xfs allow.
 */
export class RecordedFs {
  readonly #root: string;
  readonly #steps: Step[] = [];
  readonly #undo: (() => void)[] = [];
  readonly #open = new Map<number, { readonly file: number; at: number }>();
  readonly #now: Folder = { entries: new Map() };
  #lastFile = 0;

  private constructor(root: string) {
    this.#root = resolve(root);
  }

  /** Records from an empty folder on, until `stop`. */
  static start(root: string): RecordedFs {
    const recorded = new RecordedFs(root);
    recorded.#patch();
    return recorded;
  }

  stop(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
    syncBuiltinESMExports();
  }

  get length(): number {
    return this.#steps.length;
  }

  /** Notes something that happened outside, between two steps. */
  mark(value: unknown): void {
    this.#steps.push({ kind: 'mark', value });
  }

  /** What was noted before a step. */
  marks(before: number): unknown[] {
    return this.#steps.slice(0, before).flatMap((step) => (step.kind === 'mark' ? [step.value] : []));
  }

  /** Fills an empty folder with what is on the disk when the power goes after so many steps. */
  replay(count: number, dice: Dice, into: string): void {
    const steps = this.#steps.slice(0, count);
    for (const folder of this.#folders) folder.entries.clear();
    steps.forEach((step, i) => {
      if (step.kind !== 'entry') return;
      const synced = steps.some((later, at) => at > i && later.kind === 'sync folder' && later.folder === step.folder);
      step.change(synced || dice.chance(0.5));
    });
    const contents = new Map<number, Buffer>();
    const write = (folder: Folder, path: string) => {
      for (const [name, inode] of folder.entries) {
        const place = join(path, name);
        if ('entries' in inode) {
          fs.mkdirSync(place, { recursive: true, mode: 0o700 });
          write(inode, place);
        } else {
          const known = contents.get(inode.id) ?? contentOf(inode.id, steps, dice);
          contents.set(inode.id, known);
          fs.writeFileSync(place, known, { mode: 0o600 });
        }
      }
    };
    write(this.#now, into);
  }

  readonly #folders = new Set<Folder>([this.#now]);

  #inside(path: unknown): string | undefined {
    if (typeof path !== 'string') return undefined;
    const place = relative(this.#root, resolve(path));
    return place.startsWith('..') ? undefined : place;
  }

  #find(path: string): Inode | undefined {
    const parts = (this.#inside(path) ?? '').split('/').filter(Boolean);
    let inode: Inode | undefined = this.#now;
    for (const part of parts) inode = inode && 'entries' in inode ? inode.entries.get(part) : undefined;
    return inode;
  }

  #folderOf(path: string): Folder {
    const found = this.#find(dirname(resolve(path)));
    if (!found || !('entries' in found)) throw new Error(`nothing recorded made ${dirname(path)}`);
    return found;
  }

  #entry(folder: Folder, change: (apply: boolean) => void): void {
    change(true);
    this.#steps.push({ kind: 'entry', folder, change });
  }

  #put(path: string, inode: Inode): void {
    const folder = this.#folderOf(path);
    const name = basename(path);
    this.#entry(folder, (apply) => {
      if (apply) folder.entries.set(name, inode);
    });
  }

  #opened(path: string, fd: number, flags: string | number | undefined): void {
    const text = String(flags ?? 'r');
    let found = this.#find(path);
    if (found && 'entries' in found) return void this.#folderFds.set(fd, found);
    const isNew = !found;
    if (!found) {
      found = { id: ++this.#lastFile };
      this.#put(path, found);
    }
    const file = (found as File).id;
    if (text.startsWith('w') && !isNew) this.#steps.push({ kind: 'truncate', file, length: 0 });
    this.#open.set(fd, { file, at: text.startsWith('a') ? contentOf(file, this.#steps).length : 0 });
  }

  readonly #folderFds = new Map<number, Folder>();

  #wrote(fd: number, bytes: Uint8Array, position: number | null | undefined): void {
    const open = this.#open.get(fd);
    if (!open) return;
    const at = position ?? open.at;
    if (position === null || position === undefined) open.at += bytes.length;
    this.#steps.push({ kind: 'write', file: open.file, bytes: Buffer.from(bytes), position: at });
  }

  #synced(fd: number): void {
    const open = this.#open.get(fd);
    const folder = this.#folderFds.get(fd);
    if (open) this.#steps.push({ kind: 'sync', file: open.file });
    if (folder) this.#steps.push({ kind: 'sync folder', folder });
  }

  #closed(fd: number): void {
    this.#open.delete(fd);
    this.#folderFds.delete(fd);
  }

  #made(path: string): void {
    const parts = (this.#inside(path) ?? '').split('/').filter(Boolean);
    let place = this.#root;
    for (const part of parts) {
      place = join(place, part);
      if (this.#find(place)) continue;
      const folder: Folder = { entries: new Map() };
      this.#folders.add(folder);
      this.#put(place, folder);
    }
  }

  #renamed(from: string, to: string): void {
    const [source, target] = [this.#folderOf(from), this.#folderOf(to)];
    const inode = this.#find(from)!;
    this.#entry(target, (apply) => {
      if (!apply) return;
      if (source.entries.get(basename(from)) === inode) source.entries.delete(basename(from));
      target.entries.set(basename(to), inode);
    });
  }

  #removed(path: string): void {
    if (!this.#inside(path) || !this.#find(path)) return;
    const folder = this.#folderOf(path);
    this.#entry(folder, (apply) => {
      if (apply) folder.entries.delete(basename(path));
    });
  }

  #copied(from: string, to: string): void {
    this.#whole(to, fs.readFileSync(from), false);
  }

  #whole(path: string, data: unknown, flush: boolean): void {
    const fd = -1 - this.#lastFile;
    this.#opened(path, fd, 'w');
    this.#wrote(fd, Buffer.from(data as Uint8Array), 0);
    if (flush) this.#synced(fd);
    this.#closed(fd);
  }

  #patch(): void {
    const over = <T extends object, K extends keyof T>(target: T, name: K, make: (real: T[K]) => unknown) => {
      const real = target[name];
      target[name] = make(real) as T[K];
      this.#undo.push(() => {
        target[name] = real;
      });
    };
    const ours = (path: unknown): path is string => this.#inside(path) !== undefined;
    over(fs, 'openSync', (real) => (path: string, flags?: string, mode?: number) => {
      const fd = real(path, flags as string, mode);
      if (ours(path)) this.#opened(path, fd, flags);
      return fd;
    });
    over(fs, 'writeSync', (real) => (fd: number, bytes: Uint8Array, ...rest: number[]) => {
      const [offset = 0, length = bytes.length - offset, position] = rest;
      const written = real(fd, bytes, offset, length, position);
      this.#wrote(fd, bytes.subarray(offset, offset + written), position);
      return written;
    });
    for (const name of ['fsyncSync', 'fdatasyncSync'] as const) {
      over(fs, name, () => (fd: number) => this.#synced(fd));
    }
    over(fs, 'ftruncateSync', (real) => (fd: number, length: number) => {
      real(fd, length);
      const open = this.#open.get(fd);
      if (open) this.#steps.push({ kind: 'truncate', file: open.file, length });
    });
    over(fs, 'closeSync', (real) => (fd: number) => {
      real(fd);
      this.#closed(fd);
    });
    over(fs, 'writeFileSync', (real) => (path: string, data: string | Uint8Array, options?: { flush?: boolean }) => {
      real(path, data, options as fs.WriteFileOptions);
      if (ours(path)) this.#whole(path, Buffer.from(data as Uint8Array), options?.flush === true);
    });
    const pairs: [string, (...paths: string[]) => void][] = [
      ['link', (from, to) => this.#put(to!, this.#find(from!)!)],
      ['rename', (from, to) => this.#renamed(from!, to!)],
      ['rm', (path) => this.#removed(path!)],
      ['unlink', (path) => this.#removed(path!)],
      ['rmdir', (path) => this.#removed(path!)],
      ['mkdir', (path) => this.#made(path!)],
      ['copyFile', (from, to) => this.#copied(from!, to!)],
    ];
    for (const [name, done] of pairs) {
      over(fs as never, `${name}Sync` as never, (real: (...args: unknown[]) => unknown) => (...args: unknown[]) => {
        const result = real(...args);
        if (ours(args[0])) done(...(args as string[]));
        return result;
      });
      over(
        fsp as never,
        name as never,
        (real: (...args: unknown[]) => Promise<unknown>) =>
          async (...args: unknown[]) => {
            const result = await real(...args);
            if (ours(args[0]) || ours(args[1])) done(...(args as string[]));
            return result;
          },
      );
    }
    over(fsp, 'writeFile', (real) => async (path: string, data: string | Uint8Array, options?: { flush?: boolean }) => {
      await real(path, data, options as never);
      if (ours(path)) this.#whole(path, Buffer.from(data as Uint8Array), options?.flush === true);
    });
    over(fsp, 'open', (real) => async (path: string, flags?: string, mode?: number) => {
      const handle = await real(path, flags, mode);
      if (!ours(path)) return handle;
      this.#opened(path, handle.fd, flags);
      return this.#watched(handle);
    });
    syncBuiltinESMExports();
  }

  #watched(handle: FileHandle): FileHandle {
    const { fd } = handle;
    const open = () => this.#open.get(fd);
    const methods: Record<string, (...args: never[]) => Promise<unknown>> = {
      write: async (bytes: Uint8Array, offset = 0, length = bytes.length - offset, position?: number) => {
        const result = await handle.write(bytes, offset, length, position);
        this.#wrote(fd, bytes.subarray(offset, offset + result.bytesWritten), position);
        return result;
      },
      writeFile: async (data: string | Uint8Array) => {
        await handle.writeFile(data);
        this.#wrote(fd, Buffer.from(data as Uint8Array), undefined);
      },
      truncate: async (length: number) => {
        await handle.truncate(length);
        if (open()) this.#steps.push({ kind: 'truncate', file: open()!.file, length });
      },
      sync: async () => this.#synced(fd),
      datasync: async () => this.#synced(fd),
      close: async () => {
        this.#closed(fd);
        await handle.close();
      },
    };
    return new Proxy(handle, {
      get: (target, name) => {
        if (Object.hasOwn(methods, name)) return methods[name as string];
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}

/** What a file holds after some steps: all of it, or what the dice leave of what was not synced. */
function contentOf(file: number, steps: readonly Step[], dice?: Dice): Buffer {
  const last = steps.findLastIndex((step) => step.kind === 'sync' && step.file === file);
  let bytes = Buffer.alloc(0);
  for (const [i, step] of steps.entries()) {
    if ((step.kind !== 'write' && step.kind !== 'truncate') || step.file !== file) continue;
    const fate = i < last || !dice ? 0 : dice.below(4);
    if (fate === 1) continue;
    if (step.kind === 'truncate') {
      bytes = Buffer.concat([bytes.subarray(0, step.length), Buffer.alloc(Math.max(0, step.length - bytes.length))]);
      continue;
    }
    const kept = Buffer.from(step.bytes);
    const torn = fate === 0 ? kept.length : dice!.below(kept.length + 1);
    const written = fate === 2 ? kept.subarray(0, torn) : fate === 3 ? kept.fill(0, torn) : kept;
    const gap = Buffer.alloc(Math.max(0, step.position - bytes.length));
    const rest = bytes.subarray(Math.min(bytes.length, step.position + written.length));
    bytes = Buffer.concat([bytes.subarray(0, step.position), gap, written, rest]);
  }
  return bytes;
}
