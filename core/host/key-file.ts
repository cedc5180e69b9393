import { closeSync, fstatSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { equalBytes } from '../platform/bytes.ts';
import type { Random } from '../platform/clock.ts';
import { createFile } from '../platform/new-file.ts';
import { parseAgentId } from '../protocol/identity/ids.ts';
import { type Identity, identityFromSeed, SEED_LENGTH } from '../protocol/signer/identity.ts';

/** The identity cannot be used as it is; the message is a sentence for the operator that says the way out. */
export class IdentityError extends Error {
  override name = 'IdentityError';
}

/**
 * The identity in the key file: 32 raw bytes, readable by their owner only. At the first start the file is made and is
 * on the medium before the key is used. Beside it, `<file>.id` says whose key it is: any 32 bytes are a key, so nothing
 * else would tell that a bit has flipped.
 */
export function openKeyFile(path: string, random: Random): Identity {
  const identity = identityFromSeed(readKeyFile(path) ?? createSeed(path, random));
  noteOwner(path, identity.address);
  return identity;
}

/** The identity in a key file that is there already; throws an IdentityError when there is none. */
export function useKeyFile(path: string): Identity {
  const seed = readKeyFile(path);
  if (seed) return identityFromSeed(seed);
  throw new IdentityError(`There is no key file ${path}. A node makes it at its first start; say where it is.`);
}

/**
 * Refuses to start as somebody else: `agentId` is what `--agent-id` says, in base58 or hex.
 * An agent registered elsewhere has another id than its key; it is resolved by the registry's plugin, not here.
 */
export function requireAgentId(identity: Identity, agentId: string, path: string): void {
  const wanted = parseAgentId(agentId);
  if (!wanted) throw new IdentityError(`--agent-id ${agentId} is neither base58 nor 64 hex digits of 32 bytes.`);
  if (equalBytes(wanted, identity.key)) return;
  throw new IdentityError(
    `--agent-id ${agentId} does not belong to the key in ${path}, which is agent ${identity.address}. ` +
      `Leave out --agent-id to start as ${identity.address}, or put the key file of ${agentId} in its place.`,
  );
}

/** The seed in a key file; undefined when there is no such file. Throws an IdentityError when it is unfit. */
export function readKeyFile(path: string): Uint8Array | undefined {
  const file = openExisting(path);
  if (file === undefined) return undefined;
  try {
    const { mode, size } = fstatSync(file);
    requirePrivate(path, mode);
    const seed = new Uint8Array(SEED_LENGTH);
    if (size === SEED_LENGTH && readSync(file, seed) === SEED_LENGTH) {
      requireOwner(path, seed);
      return seed;
    }
    throw new IdentityError(
      size === 0
        ? `${path} is empty: its first start was interrupted, or it was damaged. If this agent has never run, delete ` +
            'the file and start again; otherwise restore it from a backup.'
        : `${path} holds ${size} bytes; an identity is ${SEED_LENGTH} raw bytes. Restore it from a backup, or move it ` +
            'away to start as a new agent.',
    );
  } finally {
    closeSync(file);
  }
}

function requirePrivate(path: string, mode: number): void {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  throw new IdentityError(
    `${path} can be used by other users of this machine (mode ${(mode & 0o777).toString(8)}). Whoever read it can sign ` +
      `and pay as this agent: if that may have happened, move to a new key. Otherwise run: chmod 600 ${path}`,
  );
}

/** The file beside a key file that says which agent's it is: its address and the address's checksum. */
export function ownerFileOf(path: string): string {
  return `${path}.id`;
}

function requireOwner(path: string, seed: Uint8Array): void {
  const owner = readOwner(path);
  if (owner === undefined) return;
  const { address } = identityFromSeed(seed);
  if (address === owner) return;
  throw new IdentityError(
    `${path} holds the key of agent ${address}, and ${ownerFileOf(path)} says that it held that of ${owner}. Unless you ` +
      `put another key there, the file is damaged: restore it from a backup. If you did, remove ${ownerFileOf(path)}.`,
  );
}

/** Undefined when nothing says it, or what says it is damaged itself. */
function readOwner(path: string): string | undefined {
  try {
    const text = readFileSync(ownerFileOf(path), 'latin1');
    const address = text.slice(0, text.indexOf(' '));
    return text === ownerLine(address) ? address : undefined;
  } catch {
    return undefined;
  }
}

function ownerLine(address: string): string {
  return `${address} ${crc32(address).toString(16).padStart(8, '0')}\n`;
}

function noteOwner(path: string, address: string): void {
  if (readOwner(path) !== undefined) return;
  try {
    rmSync(ownerFileOf(path), { force: true });
    createFile(ownerFileOf(path), ownerLine(address));
  } catch {
    // A key is often mounted where nothing can be written: then nothing but the store tells whose it is.
  }
}

function createSeed(path: string, random: Random): Uint8Array {
  const seed = random.bytes(SEED_LENGTH);
  createFile(path, seed);
  return seed;
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
