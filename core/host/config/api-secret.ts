import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../platform/clock.ts';
import { createFile } from '../../platform/new-file.ts';
import { makeFolder } from '../../platform/new-folder.ts';

export function secretFileOf(dataDir: string): string {
  return join(dataDir, 'api-secret');
}

/** The API secret of the settings, or the one in `<data-dir>/api-secret`, made (0600) at first start. */
export async function apiSecretOf(dataDir: string, given: string | undefined, random: Random): Promise<string> {
  if (given) return given;
  const file = secretFileOf(dataDir);
  makeFolder(dataDir);
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (kept === undefined) {
    const made = Buffer.from(random.bytes(32)).toString('base64url');
    createFile(file, `${made}\n`);
    return made;
  }
  if (kept.trim().length < 16) throw new Error(`${file} holds no secret; delete it and a new one is made`);
  return kept.trim();
}
