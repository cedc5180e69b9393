import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package's package.json, the same whether the sources or the build run. */
export const packageRoot: string = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(folder: string): string {
  const manifest = join(folder, 'package.json');
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'agent-mesh') return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('agent-mesh: package.json not found above the running code; reinstall it');
  return findRoot(parent);
}
