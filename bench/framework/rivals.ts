import { join } from 'node:path';
import { sidePackages } from '../../bin/side-packages.js';
import { packageRoot } from '../../core/platform/package-root.ts';
import { say } from './context.ts';

/**
 * Installs what we compare ourselves with, as bench/package-lock.json has it and never among the product's own packages,
 * unless it is there. False when it cannot be had.
 */
export function installRivals(): boolean {
  try {
    sidePackages(join(packageRoot, 'bench'), () => say('Installing the rivals named in bench/package.json (once) ...'));
    return true;
  } catch (error) {
    say((error as Error).message);
    return false;
  }
}
