import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/package-root.ts';

/**
 * Compiles everything a bench may run to plain JavaScript, like an installed package: the loader that runs TypeScript
 * makes closures slow. The folder is the package's own, so that its modules, schemas and programs are found.
 */
export function build(): string {
  const cache = join(packageRoot, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const out = mkdtempSync(join(cache, 'bench-'));
  const config = {
    extends: join(packageRoot, 'tsconfig.build.json'),
    compilerOptions: {
      outDir: out,
      rootDir: packageRoot,
      noCheck: true,
      declaration: false,
      typeRoots: [join(packageRoot, 'node_modules/@types')],
    },
    include: ['core', 'adapters', 'plugins', 'schemas', 'bench'].map((name) => join(packageRoot, name)),
    exclude: [join(packageRoot, 'bench/node_modules'), join(packageRoot, 'schemas/generate.ts')],
  };
  writeFileSync(join(out, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(out, 'package.json'), '{"type":"module"}');
  execFileSync(process.execPath, [join(packageRoot, 'node_modules/typescript/bin/tsc'), '-p', out], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return out;
}
