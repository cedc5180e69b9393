import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../core/platform/package-root.ts';

/** The committed program, the same file for sources and build. */
export const programFile: string = join(packageRoot, 'adapters/ledger-solana/program/settlement.so');

export function readProgram(): Buffer {
  return readFileSync(programFile);
}
