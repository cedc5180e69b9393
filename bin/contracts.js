// Provides the code of contracts (docs/decisions/041) in `dist/contracts`, for the build and for programs that run from their sources.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, root } from './prepare.js';

const STAMP = 'made-from';

/** Puts the contracts as they are now into the folder, unless they are there. Those that the last build has left are copied. */
export function provideContracts(folder = join(root, 'dist', 'contracts')) {
  const now = stamp();
  if (isMade(folder, now)) return;
  const fresh = `${folder}-${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  const last = join(root, 'dist', 'contracts');
  if (isMade(last, now)) cpSync(last, fresh, { recursive: true });
  else compile(fresh);
  writeFileSync(join(fresh, STAMP), now);
  rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(fresh, folder);
  } catch (error) {
    // Another process was faster.
    rmSync(fresh, { recursive: true, force: true });
    if (!isMade(folder, now)) throw error;
  }
}

function compile(folder) {
  const args = ['--import', 'ts-blank-space/register', join('bin', 'compile-contracts.ts'), folder];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) fail('The contracts in schemas/ could not be compiled.');
}

function isMade(folder, now) {
  const path = join(folder, STAMP);
  return existsSync(path) && readFileSync(path, 'utf8') === now;
}

/** Of all that the code comes from: schemas, those that plugins declare aside, which are found by their content. */
function stamp() {
  const made = createHash('sha256');
  const schemas = readdirSync(join(root, 'schemas')).filter((name) => name.endsWith('.json'));
  const sources = ['core/contracts/engine.ts', 'core/contracts/preparation.ts', 'bin/compile-contracts.ts'];
  for (const name of [...schemas.sort().map((name) => `schemas/${name}`), ...sources, 'package-lock.json']) {
    made.update(readFileSync(join(root, name)));
  }
  return made.digest('hex');
}
