import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';

const READ = /process\.env\[?['.]*(MESH_[A-Z_]+|RUNS|STEPS|ESCROWS)/g;
/** By which the suite knows its own processes. */
const INTERNAL = /^MESH_TEST_(WORKER|WRITER)$/;

describe('CONTRIBUTING.md', () => {
  it('lists each variable by which a test plays more rounds, with the test', async () => {
    const text = await readFile(join(packageRoot, 'CONTRIBUTING.md'), 'utf8');
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    const table = rows.join('\n');
    const files = await readdir(join(packageRoot, 'test'), { recursive: true });
    let count = 0;
    for (const file of files.filter((name) => name.endsWith('.test.ts'))) {
      const source = await readFile(join(packageRoot, 'test', file), 'utf8');
      const variables = [...source.matchAll(READ)].map(([, name]) => name!);
      if (/\broundsOf\(/.test(source)) variables.push('MESH_TEST_ROUNDS');
      for (const variable of new Set(variables.filter((name) => !INTERNAL.test(name)))) {
        const name = basename(file, '.test.ts');
        const isListed = new RegExp(`[\`/]${name}\``).test(table) || table.includes(`\`test/${dirname(file)}\``);
        assert.ok(table.includes(`\`${variable}\``) && isListed, `${file} reads ${variable}`);
        count += 1;
      }
    }
    assert.ok(count > 20, `${count} found`);
  });
});
