import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
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
  readonly crc: number;
}

/** Replaces the snapshot at once: a crash leaves the old one or the new one. */
export function writeSnapshot(path: string, { state, ...rest }: Snapshot): void {
  const header: Header = { ...rest, engine: ENGINE_VERSION, crc: crc32(state) };
  writeDurably(path, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), state]));
}

export function readSnapshot(path: string): Snapshot | undefined {
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  const end = bytes.indexOf(0x0a);
  const state = bytes.subarray(end + 1);
  const { engine, crc, ...rest } = parseHeader(path, bytes.toString('utf8', 0, Math.max(0, end)));
  if (engine !== ENGINE_VERSION) {
    throw new Error(
      `The localnet at ${dirname(path)} was written by litesvm ${engine} and cannot be read by ${ENGINE_VERSION}: ` +
        'remove the folder to begin a new chain.',
    );
  }
  if (crc !== crc32(state)) throw damaged(path);
  return { ...rest, state };
}

export function writeDurably(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, bytes, { mode: 0o600, flush: true });
  renameSync(temporary, path);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function parseHeader(path: string, text: string): Header {
  try {
    return JSON.parse(text) as Header;
  } catch {
    throw damaged(path);
  }
}

function damaged(path: string): Error {
  return new Error(`The localnet snapshot ${path} is damaged; restore the folder or remove it.`);
}
