import { join, relative } from 'node:path';
import { packageRoot } from '../platform/package-root.ts';

/** How somebody in a folder calls this command: as it was called now, from there. */
export function calledAs(env: Readonly<Record<string, string | undefined>>, folder: string): string {
  if (env['npm_lifecycle_event'] === 'npx') return 'npx mesh';
  if (env['npm_lifecycle_event'] === 'mesh') return `node ${relative(folder, join(packageRoot, 'bin', 'mesh.js'))}`;
  return 'mesh';
}
