import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { say } from './context.ts';

const folder = join(packageRoot, 'bench');
/** What is in the cache is not asked for again; a registry that is away is not waited for. */
const REGISTRY = ['--prefer-offline', '--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
const QUIET = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];

/**
 * Installs what we compare ourselves with, as bench/package-lock.json has it and never among the product's own packages,
 * unless it is there. False when it cannot be had.
 */
export function installRivals(): boolean {
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return true;
  say('Installing the rivals named in bench/package.json (once) ...');
  const args = ['ci', '--prefix', folder, '--ignore-scripts', ...REGISTRY, ...QUIET];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', process.stderr, process.stderr] });
  return status === 0;
}
