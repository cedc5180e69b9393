import { existsSync, readFileSync } from 'node:fs';
import { identityFromSeed, ledgerSigner, SEED_LENGTH } from '../identity/identity.ts';
import type { Signer } from '../ledger/ledger.ts';
import type { DeploymentKeys } from '../ledger/program-deployment.ts';
import { createFile } from '../new-file.ts';
import { systemRandom } from '../system-clock.ts';
import { UsageError } from './command.ts';

const KEYPAIR_LENGTH = 64;
const NAMES = ['buffer', 'program', 'config'] as const;

/** The key in a file: a JSON list of 64 numbers as Solana's tools write it, or an identity of 32 raw bytes. */
export function signerOfFile(path: string): Signer {
  if (!existsSync(path)) throw new UsageError(`there is no file ${path}`);
  const bytes = readFileSync(path);
  const seed = bytes.length === SEED_LENGTH ? bytes : seedOfJson(bytes.toString('utf8'));
  if (!seed) throw new UsageError(`${path} is neither a Solana keypair file nor an identity of ${SEED_LENGTH} bytes`);
  return ledgerSigner(identityFromSeed(seed));
}

/** The keys of the accounts a deployment makes; written down before the first use, so that it can be taken up again. */
export function deploymentKeys(path: string): DeploymentKeys {
  if (!existsSync(path)) {
    const seeds = NAMES.map((name) => [name, Buffer.from(systemRandom.bytes(SEED_LENGTH)).toString('hex')]);
    createFile(path, Buffer.from(`${JSON.stringify(Object.fromEntries(seeds), undefined, 2)}\n`));
  }
  const stored = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const [buffer, program, config] = NAMES.map((name) => {
    const hex = String(stored[name]);
    if (!/^[0-9a-f]{64}$/.test(hex)) throw new UsageError(`${path} has no key "${name}"`);
    return ledgerSigner(identityFromSeed(Buffer.from(hex, 'hex')));
  }) as [Signer, Signer, Signer];
  return { buffer, program, config };
}

function seedOfJson(text: string): Uint8Array | undefined {
  try {
    const numbers: unknown = JSON.parse(text);
    const isByte = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;
    if (!Array.isArray(numbers) || numbers.length !== KEYPAIR_LENGTH || !numbers.every(isByte)) return undefined;
    return Uint8Array.from(numbers as number[]).subarray(0, SEED_LENGTH);
  } catch {
    return undefined;
  }
}
