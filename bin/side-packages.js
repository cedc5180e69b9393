// Packages that one command needs and the product does not: each folder has a lock file and a node_modules of its own.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is in the cache is not asked for again; a registry that is away is not waited for. */
const REGISTRY = ['--prefer-offline', '--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
const QUIET = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];

/** Installs what the lock file of a folder names, unless it was installed from it; calls `before` when it does. Throws when it cannot be had. */
export function sidePackages(folder, before = () => {}) {
  const packages = join(folder, 'node_modules');
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const mark = join(packages, '.lock-of-install');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return packages;
  before();
  const args = ['ci', '--prefix', folder, '--ignore-scripts', ...REGISTRY, ...QUIET];
  // Standard output belongs to the command: it may be `--json`.
  const { status, signal, error } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] });
  if (error) throw new Error(`npm could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`npm ci in ${folder} ended with ${status ?? signal}`);
  writeFileSync(mark, lock);
  return packages;
}
