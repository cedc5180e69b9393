import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../../../core/platform/package-root.ts';

const FOLDER = join(packageRoot, 'plugins/explorer/public');

/** Packed bytes of these files and of all modules that they import, each once. */
export async function packedWithImports(names: readonly string[]): Promise<number> {
  let sum = 0;
  for (const name of await withImports(names)) sum += gzipSync(await readFile(join(FOLDER, name))).length;
  return sum;
}

/** These files and all modules that they import. */
export async function withImports(names: readonly string[]): Promise<Set<string>> {
  const seen = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    if (!name.endsWith('.js')) continue;
    const text = await readFile(join(FOLDER, name), 'utf8');
    for (const [, imported] of text.matchAll(/from '([^']+)'/g)) queue.push(join(name, '..', imported!));
  }
  return seen;
}
