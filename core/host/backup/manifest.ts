import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFile } from '../../platform/new-file.ts';
import { VERSION } from '../../platform/version.ts';
import type { FileEntry } from './files.ts';

/** Written last: a folder without it is no finished backup. */
export const MANIFEST = 'backup.json';
export const KEY_FILE = 'identity.key';

/** The description of a backup in itself. */
export interface Manifest {
  readonly format: 1;
  /** SHA-256 of all the rest; absent in backups of earlier builds. */
  readonly check?: string;
  readonly version: string;
  /** The agent id of its key. */
  readonly agent: string;
  readonly profile: string;
  readonly network: string;
  readonly storage: string;
  /** Unix milliseconds at which the node stood still. */
  readonly made_at: number;
  readonly files: readonly FileEntry[];
}

export function writeManifest(folder: string, manifest: Omit<Manifest, 'format' | 'version' | 'check'>): void {
  const about: Manifest = { format: 1, version: VERSION, ...manifest };
  createFile(join(folder, MANIFEST), `${JSON.stringify({ ...about, check: checkOf(about) }, null, 2)}\n`);
}

/** The manifest, or undefined when there is none. Throws a sentence when it cannot be relied on. */
export function readManifest(folder: string): Manifest | undefined {
  const path = join(folder, MANIFEST);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const manifest = parse(text);
  if (manifest) return manifest;
  throw new Error(`${path} is damaged, or was written by another version; the backup cannot be checked`);
}

function parse(text: string): Manifest | undefined {
  try {
    const { check, ...found } = JSON.parse(text) as Manifest;
    if (check !== undefined && check !== checkOf(found)) return undefined;
    const isWhole =
      found.format === 1 &&
      typeof found.agent === 'string' &&
      Number.isSafeInteger(found.made_at) &&
      found.files.every(({ path, bytes, sha256 }) => isInside(path) && bytes >= 0 && /^[0-9a-f]{64}$/.test(sha256));
    return isWhole ? found : undefined;
  } catch {
    return undefined;
  }
}

function checkOf(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

/** A path that stays in its folder. */
function isInside(path: string): boolean {
  return (
    path !== '' && !/^[/\\]|[\\:\0]/.test(path) && path.split('/').every((part) => part !== '' && !/^\.\.?$/.test(part))
  );
}
