import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';

/** What users import, and what the launcher, a worker thread or a script runs. */
const DOORS = [
  'core/plugin.ts',
  'core/services.ts',
  'core/client/index.ts',
  'core/index.ts',
  'core/storage/adapter.ts',
  'adapters/index.ts',
  'adapters/testing.ts',
  'plugins/index.ts',
  'plugins/billing/settlement/index.ts',
  'core/cli/mesh.ts',
  'core/messaging/verification/verify-worker.ts',
  'core/aggregator/reputation/score-worker.ts',
  'adapters/ledger-solana/program/build.ts',
  'schemas/generate.ts',
  'bin/compile-contracts.ts',
];

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;
/** An import without a list takes everything. */
const LISTED = /^(?:import|export)\s(?:[^'{;]*\{(?<names>[^}]*)\}|[^'{;]*)\s*(?:from\s*)?'(?<target>\.[^']+)'/gm;
const DYNAMIC = /import\(\s*'(\.[^']+)'\s*\)/g;
const FILE_URL = /new URL\('(\.[^']+)', import\.meta\.url\)/g;

describe('the exports of the product', () => {
  it('are used by the product or offered by a public door, not only by tests', () => {
    const unused = unusedExports(readSources(['bin', 'core', 'adapters', 'plugins', 'schemas']));
    assert.deepEqual(unused, [], 'export nothing for a test: test it through what uses it');
  });

  it('that nobody uses are found, whatever way the others are used', () => {
    const sources = new Map(
      Object.entries({
        'core/index.ts':
          "export { first } from './one.ts';\nexport * from './all.ts';\nimport * as whole from './whole.ts';",
        'core/one.ts': "import { type Shape, second as other } from './two.ts';\nexport const first = other;",
        'core/two.ts':
          'export const second = 1;\nexport interface Shape {}\nexport function lonely() {}\nexport const own = 1;\nuse(own);',
        'core/all.ts': 'export class Offered {}',
        'core/whole.ts': 'export const part = 1;',
        'core/alone.ts': "import { lonely } from './alone-too.ts';\nexport const unreached = lonely;",
        'core/alone-too.ts': 'export const lonely = 1;',
      }),
    );
    assert.deepEqual(unusedExports(sources), ['core/alone.ts', 'core/alone-too.ts', 'core/two.ts: lonely'].sort());
  });
});

/** `path` of files that no door reaches, and `path: name` of exports that no file reached imports. */
function unusedExports(sources: ReadonlyMap<string, string>): string[] {
  const used = new Map(DOORS.filter((door) => sources.has(door)).map((door) => [door, new Set(['*'])]));
  // A file reached is added to the map while it is walked.
  for (const path of used.keys()) {
    for (const { to, names } of importsOf(path, sources.get(path)!)) {
      if (!sources.has(to)) continue;
      const known = used.get(to) ?? new Set();
      used.set(to, known);
      for (const name of names) known.add(name);
    }
  }
  return [...sources]
    .flatMap(([path, text]) => {
      const wanted = used.get(path);
      if (!wanted) return [path];
      return exportsOf(text)
        .filter((name) => !wanted.has('*') && !wanted.has(name) && !isUsedAgain(name, text))
        .map((name) => `${path}: ${name}`);
    })
    .sort();
}

function importsOf(path: string, text: string): { to: string; names: readonly string[] }[] {
  const from = (target: string) => posix.join(posix.dirname(path), target);
  const listed = [...text.matchAll(LISTED)].map(({ groups = {} }) => ({
    to: from(groups['target']!),
    names: groups['names'] === undefined ? ['*'] : namesOf(groups['names']),
  }));
  const whole = [DYNAMIC, FILE_URL].flatMap((pattern) => [...text.matchAll(pattern)]);
  return [...listed, ...whole.map(([, target]) => ({ to: from(target!), names: ['*'] }))];
}

/** The names on the far side of `{ type One, two as Three }`. */
function namesOf(list: string): string[] {
  return list
    .split(',')
    .map(
      (one) =>
        one
          .trim()
          .replace(/^type /, '')
          .split(' as ')[0]!,
    )
    .filter(Boolean);
}

function exportsOf(text: string): string[] {
  return [...text.matchAll(DECLARED)].map(([, name]) => name!);
}

/** Whether a file uses what it exports; a comment is no use. */
function isUsedAgain(name: string, text: string): boolean {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return code.split(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`)).length > 2;
}

function readSources(folders: readonly string[]): Map<string, string> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && path !== 'schemas/types.ts'),
  );
  return new Map(files.map((path) => [path, readFileSync(join(packageRoot, path), 'utf8')]));
}
