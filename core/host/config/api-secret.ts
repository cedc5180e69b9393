import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Random } from '../../platform/clock.ts';
import { createFile, makeFolder } from '../../platform/new-file.ts';

const HEAD = 'agent-mesh-secret-';
/** The head, and 32 bytes in base64url. */
const MADE_LENGTH = HEAD.length + 43;

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
  if (kept !== undefined) return parseSecret(kept, file);
  const made = withChecksum(HEAD + Buffer.from(random.bytes(32)).toString('base64url'));
  createFile(file, `${made}\n`);
  return made;
}

/** The secret in the text of its file. Its owner may write another into it, which a header carries; one that was made here shows its damage. */
export function parseSecret(text: string, file: string): string {
  const secret = text.trim();
  if (secret.length < 16) throw new Error(`${file} holds no secret; delete it and a new one is made`);
  if (!/^[!-~]+$/.test(secret))
    throw new Error(`${file} holds a space or another character that no header carries; write a secret without`);
  if (isMadeHere(secret) && withChecksum(secret.slice(0, MADE_LENGTH)) !== secret)
    throw new Error(
      `${file} is damaged: its checksum is another. Restore it from a backup, or delete it and a new one is made`,
    );
  return secret;
}

function withChecksum(body: string): string {
  return `${body}-${crc32(body).toString(16).padStart(8, '0')}`;
}

/** A flipped bit may be in the head itself. */
function isMadeHere(secret: string): boolean {
  return [...HEAD].filter((letter, place) => secret[place] !== letter).length <= 1;
}
