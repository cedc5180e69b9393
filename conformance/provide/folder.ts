import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';

export const folder = join(packageRoot, 'conformance');

/** A folder for what is installed, apart from the product; made when it is missing, kept for the next run. */
export function installed(name: string): string {
  const path = join(folder, 'installed', name);
  mkdirSync(path, { recursive: true });
  return path;
}
