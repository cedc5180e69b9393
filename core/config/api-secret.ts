import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../clock.ts';

/** The API secret of the settings, or the one in `<data-dir>/api-secret`, made (0600) at first start. */
export async function apiSecretOf(dataDir: string, given: string | undefined, random: Random): Promise<string> {
  if (given) return given;
  const file = join(dataDir, 'api-secret');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const made = Buffer.from(random.bytes(32)).toString('base64url');
  try {
    await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const kept = (await readFile(file, 'utf8')).trim();
  if (kept.length < 16) throw new Error(`${file} holds no secret; delete it and a new one is made`);
  return kept;
}
