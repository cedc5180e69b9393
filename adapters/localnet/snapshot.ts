import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../../core/platform/new-file.ts';
import { ENGINE_VERSION } from './engine.ts';
import type { Stamp } from './slots.ts';

/** The whole state after the first `seq` journal entries. */
export interface Snapshot {
  readonly genesisHash: string;
  readonly seq: number;
  readonly tick: number;
  readonly stamp: Stamp;
  /** Hash of every program loaded from outside, by address. */
  readonly programs: Readonly<Record<string, string>>;
  readonly state: Uint8Array;
}

interface Header extends Omit<Snapshot, 'state'> {
  readonly engine: string;
  /** Of the state. */
  readonly crc: number;
  /** Checksum of everything before it in the header; absent in snapshots of earlier builds. */
  readonly head?: number;
}

/** Replaces the snapshot at once: a crash leaves the old one or the new one. */
export function writeSnapshot(path: string, { state, ...rest }: Snapshot): void {
  const header: Header = { ...rest, engine: ENGINE_VERSION, crc: crc32(state) };
  const checked: Header = { ...header, head: crc32(JSON.stringify(header)) };
  writeDurably(path, Buffer.concat([Buffer.from(`${JSON.stringify(checked)}\n`), state]));
}

export function readSnapshot(path: string): Snapshot | undefined {
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  const end = bytes.indexOf(0x0a);
  const state = bytes.subarray(end + 1);
  const { head, ...header } = parseHeader(path, bytes.toString('utf8', 0, Math.max(0, end)));
  if (head !== undefined && head !== crc32(JSON.stringify(header))) throw damaged(path, 'its first line');
  const { engine, crc, ...rest } = header;
  if (engine !== ENGINE_VERSION) {
    throw new Error(
      `The localnet at ${dirname(path)} was written by litesvm ${engine} and cannot be read by ${ENGINE_VERSION}: ` +
        'remove the folder to begin a new chain.',
    );
  }
  if (crc !== crc32(state)) throw damaged(path, `the accounts from byte ${end + 1} on`);
  return { ...rest, state };
}

export function writeDurably(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, bytes, { mode: 0o600, flush: true });
  renameSync(temporary, path);
  syncFolder(dirname(path));
}

function parseHeader(path: string, text: string): Header {
  try {
    return JSON.parse(text) as Header;
  } catch {
    throw damaged(path, 'its first line');
  }
}

function damaged(path: string, where: string): Error {
  return new Error(
    `The localnet snapshot ${path}, which holds the whole chain, is damaged: ${where}. Restore the folder, or remove it to begin a new chain.`,
  );
}
