import { existsSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { readKeyFile } from '../host/key-file.ts';
import type { Signer } from '../ledger/ledger.ts';
import { ledgerSigner } from '../ledger/ledger.ts';
import type { DeploymentKeys } from '../ledger/program-deployment.ts';
import { equalBytes } from '../platform/bytes.ts';
import { createFile } from '../platform/new-file.ts';
import { systemRandom } from '../platform/system-clock.ts';
import { identityFromSeed, SEED_LENGTH } from '../protocol/signer/identity.ts';
import { UsageError } from './command.ts';

const KEYPAIR_LENGTH = 64;
const NAMES = ['buffer', 'program', 'config'] as const;

/** The key in a file: a JSON list of 64 numbers as Solana's tools write it, or an identity of 32 raw bytes. */
export function signerOfFile(path: string): Signer {
  if (!existsSync(path)) throw new UsageError(`there is no file ${path}`);
  const bytes = readFileSync(path);
  const seed = bytes.length === SEED_LENGTH ? readKeyFile(path) : seedOfJson(path, bytes.toString('utf8'));
  if (!seed) throw new UsageError(`${path} is neither a Solana keypair file nor an identity of ${SEED_LENGTH} bytes`);
  return ledgerSigner(identityFromSeed(seed));
}

/** The keys of the accounts a deployment makes; written down before the first use, so that it can be taken up again. */
export function deploymentKeys(path: string): DeploymentKeys {
  if (!existsSync(path)) {
    const seeds = NAMES.map((name) => [name, Buffer.from(systemRandom.bytes(SEED_LENGTH)).toString('hex')] as const);
    const stored = Object.fromEntries([...seeds, ['check', checkOf(seeds.map(([, seed]) => seed))]]);
    createFile(path, Buffer.from(`${JSON.stringify(stored, undefined, 2)}\n`));
  }
  const stored = parseKeys(path);
  if (stored['check'] !== undefined && stored['check'] !== checkOf(NAMES.map((name) => stored[name])))
    throw damaged(path);
  const [buffer, program, config] = NAMES.map((name) => {
    const hex = String(stored[name]);
    if (!/^[0-9a-f]{64}$/.test(hex)) throw new UsageError(`${path} has no key "${name}"`);
    return ledgerSigner(identityFromSeed(Buffer.from(hex, 'hex')));
  }) as [Signer, Signer, Signer];
  return { buffer, program, config };
}

function parseKeys(path: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch {
    throw damaged(path);
  }
}

/** Any seed is a key: without a checksum, a flipped bit would be another account. */
function checkOf(seeds: readonly unknown[]): string {
  return crc32(seeds.join()).toString(16).padStart(8, '0');
}

function damaged(path: string): UsageError {
  return new UsageError(
    `${path}, which holds the keys of the accounts this deployment makes, is damaged: restore it from a copy, or name another file to begin a new deployment`,
  );
}

function seedOfJson(path: string, text: string): Uint8Array | undefined {
  const bytes = bytesOfJson(text);
  if (!bytes) return undefined;
  const seed = bytes.subarray(0, SEED_LENGTH);
  // The other half is the public key.
  if (equalBytes(identityFromSeed(seed).key, bytes.subarray(SEED_LENGTH))) return seed;
  throw new UsageError(`${path} is damaged: its two halves are not of one key; restore it from a copy`);
}

function bytesOfJson(text: string): Uint8Array | undefined {
  try {
    const numbers: unknown = JSON.parse(text);
    const isByte = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;
    if (!Array.isArray(numbers) || numbers.length !== KEYPAIR_LENGTH || !numbers.every(isByte)) return undefined;
    return Uint8Array.from(numbers as number[]);
  } catch {
    return undefined;
  }
}
