import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../bin/bundle.js';
import { packageRoot } from '../../core/platform/package-root.ts';

/**
 * Puts everything a bench may run together as an installed package is. The folder is the package's own, so that its
 * schemas and programs are found.
 */
export async function build(): Promise<string> {
  const cache = join(packageRoot, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const out = mkdtempSync(join(cache, 'bench-'));
  writeFileSync(join(out, 'package.json'), '{"type":"module"}');
  await bundle(scripts('bench'), out);
  return out;
}

function scripts(folder: string): string[] {
  return readdirSync(join(packageRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : scripts(path);
    return entry.name.endsWith('.ts') && path !== 'bench/run.ts' ? [path] : [];
  });
}
