import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/package-root.ts';
import { say } from './context.ts';

const folder = join(packageRoot, 'bench');

export function rivalsAreInstalled(): boolean {
  return existsSync(join(folder, 'node_modules/.package-lock.json'));
}

/** Installs what we compare ourselves with; never among the product's own packages. */
export function installRivals(): void {
  if (rivalsAreInstalled()) return;
  say('Installing the rivals named in bench/package.json (once) ...');
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', process.stderr, process.stderr] });
  if (status !== 0) throw new Error('the rivals could not be installed; `npm run bench -- --quick` goes without them');
}
