import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder, syncFolder } from '../../platform/new-file.ts';
import { StorageError } from '../../storage/adapter.ts';
import { ownerFileOf } from '../key-file.ts';
import { BEFORE, copy, filesOf, isLeftover, isPassing, syncAll, UNFINISHED } from './files.ts';
import { KEY_FILE, MANIFEST, type Manifest, readManifest } from './manifest.ts';
import { elsewhere, type StoppedNode } from './stopped-node.ts';
import { currentNumbers, type Tainted, taintSince } from './taint-since.ts';

export interface Restored {
  readonly agent: string;
  readonly manifest: Manifest | undefined;
  /** Where what was there before is kept now. */
  readonly before: string | undefined;
  readonly tainted: Tainted | undefined;
}

/**
 * Puts a backup in place of the data folder's content. It is copied and checked beside it first: until all of it has
 * proven whole, nothing is changed. What was there is kept. Rejects with a sentence.
 */
export async function restoreBackup(node: StoppedNode, from: string, force: boolean, now: number): Promise<Restored> {
  const source = resolve(from);
  if (!existsSync(join(source, KEY_FILE))) throw new Error(`${source} holds no ${KEY_FILE}; it is no backup of a node`);
  if (!existsSync(join(source, 'store'))) throw new Error(`${source} holds no store; it is no backup of a node`);
  if (source === resolve(node.dataDir)) throw new Error(`${source} is the data folder itself; see --in-place`);
  const manifest = readManifest(source);
  makeFolder(node.dataDir);
  const present = (await readdir(node.dataDir)).filter((name) => !isLeftover(name));
  const occupied = present.length > 0 || existsSync(node.keyFile);
  if (occupied && !force) {
    throw new Error(
      `${node.dataDir} is in use; --force puts what is there aside, into a folder ${BEFORE}… in it, and restores`,
    );
  }
  const used = await usedNumbers(node, present);
  const staging = join(node.dataDir, UNFINISHED);
  await rm(staging, { recursive: true, force: true });
  const prepared = await prepare(node, source, staging, { manifest, used, now }).catch(async (error: unknown) => {
    await rm(staging, { recursive: true, force: true });
    throw error;
  });
  await syncAll(staging);
  syncFolder(node.dataDir);
  const before = occupied ? await putAside(node, present, now) : undefined;
  await putInPlace(node, staging);
  return { ...prepared, manifest, before };
}

/** Taints the epochs of a store that was put back by other means, such as a dump of its server. */
export async function restoredInPlace(node: StoppedNode, now: number): Promise<Restored> {
  const identity = node.identity();
  const store = await node.open();
  try {
    const journal = await node.journal(store, identity);
    const tainted = journal && (await taintSince(journal, undefined, 0, now));
    return { agent: identity.address, manifest: undefined, before: undefined, tainted };
  } finally {
    await store.close();
  }
}

interface Preparing {
  readonly manifest: Manifest | undefined;
  readonly used: number;
  readonly now: number;
}

/** The whole backup in the staging folder, with a key and a store that open, and its epochs tainted. */
async function prepare(node: StoppedNode, source: string, staging: string, { manifest, used, now }: Preparing) {
  const paths =
    manifest?.files.map(({ path }) => path) ?? (await filesOf(source, (path) => path === MANIFEST || isLeftover(path)));
  const expected = new Map(manifest?.files.map((file) => [file.path, file]));
  for (const path of paths) {
    if (isPassing(path)) continue;
    const arrived = await copy(join(source, path), join(staging, path));
    const { bytes, sha256 } = expected.get(path) ?? arrived;
    if (bytes !== arrived.bytes || sha256 !== arrived.sha256)
      throw new Error(`${join(source, path)} is not what was backed up: the backup is damaged. Nothing was changed`);
  }
  const identity = node.identity(join(staging, KEY_FILE));
  if (manifest && manifest.agent !== identity.address)
    throw new Error(`the backup says it is of agent ${manifest.agent}, and its key is that of ${identity.address}`);
  const store = await node.open(staging);
  try {
    const reason = elsewhere(store, node.keyFile);
    if (reason !== undefined) throw new Error(reason);
    const journal = await node.journal(store, identity);
    return { agent: identity.address, tainted: journal && (await taintSince(journal, manifest?.made_at, used, now)) };
  } finally {
    await store.close();
  }
}

/** The last sequence number that the node in place has used now, so that none of them is used again. */
async function usedNumbers(node: StoppedNode, present: readonly string[]): Promise<number> {
  if (!present.includes('store') || !existsSync(node.keyFile)) return 0;
  try {
    const store = await node.open();
    try {
      const journal = await node.journal(store, node.identity());
      return journal ? await currentNumbers(journal) : 0;
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StorageError && error.fault === 'locked') throw error;
    // It may be restored because it does not open any more.
    return 0;
  }
}

async function putAside(node: StoppedNode, present: readonly string[], now: number): Promise<string> {
  const aside = join(node.dataDir, `${BEFORE}${now}`);
  await mkdir(aside, { mode: 0o700 });
  // The key last: whoever stops this on the way finds the node either whole or without a key.
  const names = present.filter((name) => name !== KEY_FILE);
  for (const name of names) await rename(join(node.dataDir, name), join(aside, name));
  const { keyFile } = node;
  if (dirname(resolve(keyFile)) === resolve(node.dataDir)) {
    if (existsSync(keyFile)) await rename(keyFile, join(aside, basename(keyFile)));
  } else if (existsSync(keyFile)) await rename(keyFile, `${keyFile}${BEFORE}${now}`);
  await rm(ownerFileOf(keyFile), { force: true });
  for (const folder of [aside, node.dataDir, dirname(resolve(keyFile))]) syncFolder(folder);
  return aside;
}

/** The key last: without it the restore is plainly unfinished, and no node starts while the staging folder is there. */
async function putInPlace(node: StoppedNode, staging: string): Promise<void> {
  const names = (await readdir(staging)).filter((name) => name !== KEY_FILE);
  for (const name of names) await rename(join(staging, name), join(node.dataDir, name));
  makeFolder(dirname(node.keyFile));
  syncFolder(node.dataDir);
  await copy(join(staging, KEY_FILE), node.keyFile);
  syncFolder(dirname(resolve(node.keyFile)));
  await rm(staging, { recursive: true });
}
