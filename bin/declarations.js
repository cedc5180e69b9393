// `node bin/declarations.js <folder>`: a program that imports this package reads the declarations behind its public doors, a seventh
// of all that the compiler writes. The others would be a third of the files that an operator installs.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './prepare.js';

const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*['"](\.[^'"]+)['"]/g;

/** Removes the declarations below `folder` that no entry of `exports` in package.json leads to. */
export function keepPublicDeclarations(folder) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const doors = Object.values(exports).filter((path) => path.startsWith('./dist/'));
  const kept = new Set();
  const keep = (file) => {
    if (kept.has(file)) return;
    if (!existsSync(file)) throw new Error(`${file} is missing: a public declaration imports it`);
    kept.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      keep(join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')));
    }
  };
  for (const door of doors) keep(join(folder, door.slice('./dist/'.length).replace(/\.js$/, '.d.ts')));
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (name.endsWith('.d.ts') && !kept.has(file)) rmSync(file);
  }
}

if (process.argv[1] === import.meta.filename) keepPublicDeclarations(join(root, process.argv[2] ?? 'dist'));
