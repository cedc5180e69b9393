import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../../../core/platform/package-root.ts';

const FOLDER = join(packageRoot, 'plugins/explorer/public');

/** Packed bytes of these files and of all modules that they import, each once. */
export async function packedWithImports(names: readonly string[]): Promise<number> {
  const seen = new Set<string>();
  const queue = [...names];
  let sum = 0;
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const bytes = await readFile(join(FOLDER, name));
    sum += gzipSync(bytes).length;
    if (!name.endsWith('.js')) continue;
    for (const [, imported] of String(bytes).matchAll(/from '([^']+)'/g)) queue.push(join(name, '..', imported!));
  }
  return sum;
}
