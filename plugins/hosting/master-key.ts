import { lstat, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { argon2id } from 'hash-wasm';
import type { Random, Space } from '../../core/services.ts';
import { type Vault, vaults } from './records.ts';
import { seal, unseal } from './sealed.ts';
import { KEY_LENGTH } from './xchacha.ts';

export const KEY_FILE = 'sub-keys.key';
const CHECK = 'agent-mesh hosting';
/** About a third of a second on one core, which a guess costs too. */
const ARGON2 = { iterations: 3, memorySize: 65_536, parallelism: 1 };
const SALT_LENGTH = 16;

export interface MasterKeyMeans {
  readonly space: Space;
  readonly random: Random;
  /** Of the plugin, where the key file lies. */
  readonly folder: string;
  readonly passphrase: string | undefined;
}

/**
 * The key that the keys of hosted agents are encrypted with, from a passphrase or else from a file that is made at the first start. Throws
 * where the store was written with another one: those agents would be lost without a word.
 */
export async function masterKey(means: MasterKeyMeans): Promise<Uint8Array> {
  const { space, passphrase, random } = means;
  const vault = await space.get(vaults.ref('key'));
  if (vault) return known(vault, means);
  const salt = random.bytes(SALT_LENGTH);
  const key = passphrase === undefined ? await fileKey(means, true) : await derived(passphrase, salt);
  const check_b64 = seal(key, Buffer.from(CHECK), CHECK, random);
  const made: Vault =
    passphrase === undefined
      ? { kind: 'file', check_b64 }
      : { kind: 'passphrase', check_b64, salt_b64: Buffer.from(salt).toString('base64') };
  await space.put(vaults.ref('key'), made);
  return key;
}

async function known({ kind, check_b64, salt_b64 = '' }: Vault, means: MasterKeyMeans): Promise<Uint8Array> {
  const { passphrase, folder } = means;
  if (kind === 'passphrase' && passphrase === undefined)
    throw new Error('the keys of its agents are encrypted with a passphrase; give plugins.hosting.passphrase');
  if (kind === 'file' && passphrase !== undefined)
    throw new Error(
      `the keys of its agents are encrypted with ${join(folder, KEY_FILE)}; take plugins.hosting.passphrase out`,
    );
  const key =
    passphrase === undefined ? await fileKey(means, false) : await derived(passphrase, Buffer.from(salt_b64, 'base64'));
  if (unseal(key, check_b64, CHECK)) return key;
  throw new Error(
    kind === 'passphrase'
      ? 'plugins.hosting.passphrase is not the one that the keys of its agents are encrypted with'
      : `${join(folder, KEY_FILE)} is not the file that the keys of its agents are encrypted with; restore it from a backup`,
  );
}

function derived(password: string, salt: Uint8Array): Promise<Uint8Array> {
  return argon2id({ ...ARGON2, password, salt, hashLength: KEY_LENGTH, outputType: 'binary' });
}

async function fileKey({ folder, random }: MasterKeyMeans, mayMake: boolean): Promise<Uint8Array> {
  const path = join(folder, KEY_FILE);
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!found && !mayMake)
    throw new Error(
      `${path} is missing, and the keys of its agents cannot be read without it; restore it from a backup`,
    );
  if (!found) return newFileKey(path, random);
  if (!found.isFile()) throw new Error(`${path} is not a file`);
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw new Error(`${path} can be read by others; run chmod 600 ${path}`);
  const text = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`${path} is damaged; restore it from a backup`);
  return Buffer.from(text, 'hex');
}

/** On the medium under its name before anything is encrypted with it. */
async function newFileKey(path: string, random: Random): Promise<Uint8Array> {
  const key = random.bytes(KEY_LENGTH);
  const fresh = `${path}.tmp`;
  const file = await open(fresh, 'w', 0o600);
  try {
    await file.writeFile(`${Buffer.from(key).toString('hex')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
  if (process.platform === 'win32') return key;
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
  return key;
}
