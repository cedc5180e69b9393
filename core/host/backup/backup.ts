import { existsSync } from 'node:fs';
import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { DEFAULT_NETWORK } from '../../contracts/settings.ts';
import { makeFolder, syncFolder } from '../../platform/new-file.ts';
import { copy, type FileEntry, filesOf, isLeftover, isPassing, syncAll } from './files.ts';
import { KEY_FILE, type Manifest, readManifest, writeManifest } from './manifest.ts';
import { elsewhere, type StoppedNode } from './stopped-node.ts';

/**
 * Copies key, store and everything else of the data folder into a new folder, while the store is held so that no node
 * can start. Rejects with a sentence; then there is no backup, or an unfinished one named `<folder>.partial`.
 */
export async function makeBackup(node: StoppedNode, to: string, now: number): Promise<Manifest> {
  const target = resolve(to);
  const source = resolve(node.dataDir);
  if (`${target}${sep}`.startsWith(`${source}${sep}`)) throw new Error('a backup is not kept inside the data folder');
  if (existsSync(target)) {
    if ((await readdir(target)).length > 0) throw new Error(`${target} is not empty; name a new folder`);
    await rmdir(target);
  }
  const identity = node.identity();
  // Opening a store makes it: a folder that has none is left alone.
  if (node.storage === 'lowdb' && !existsSync(join(source, 'store')))
    throw new Error(`${source} holds no store; there is nothing to back up`);
  const store = await node.open();
  try {
    const reason = elsewhere(store, node.keyFile);
    if (reason !== undefined) throw new Error(reason);
    const draft = `${target}.partial`;
    await rm(draft, { recursive: true, force: true });
    makeFolder(draft);
    const files = await copyAll(node, source, draft);
    const { profile, network } = node.settings;
    const about = { profile, network: network.id ?? DEFAULT_NETWORK, storage: node.storage, made_at: now };
    writeManifest(draft, { agent: identity.address, ...about, files });
    await syncAll(draft);
    await rename(draft, target);
    syncFolder(dirname(target));
    return readManifest(target)!;
  } finally {
    await store.close();
  }
}

async function copyAll(node: StoppedNode, source: string, draft: string): Promise<FileEntry[]> {
  const files: FileEntry[] = [];
  const add = async (from: string, path: string) =>
    files.push({ path, ...(await copy(from, join(draft, ...path.split('/')))) });
  const skip = (path: string) => path === KEY_FILE || isLeftover(path) || isPassing(path);
  for (const path of await filesOf(source, skip)) {
    await add(join(source, path), path);
  }
  await add(node.keyFile, KEY_FILE);
  return files;
}
