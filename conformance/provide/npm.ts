import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOrThrow } from './command.ts';
import { folder } from './folder.ts';

const QUIET = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error', '--prefer-offline', '--ignore-scripts'];

/** The judges of conformance/package-lock.json, never among the product's own packages. */
export async function npmPackages(): Promise<string> {
  const packages = join(folder, 'node_modules');
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const mark = join(packages, '.lock-of-install');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== lock) {
    await runOrThrow('npm', ['ci', '--prefix', folder, ...QUIET], folder);
    writeFileSync(mark, lock);
  }
  return packages;
}
