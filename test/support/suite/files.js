// Which test files run how. Everything that is not named here runs beside the others, in the order of its path.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** `npm run test:fast`: the rules, and what needs neither a mesh nor a ledger. Folders and files. */
export const FAST = ['test/layout.test.ts', 'test/layout'];

/** The slowest, which start first. `npm test` names its slowest files at the end. */
export const SLOW = [];

/** Measure memory or delays, which a neighbour on the same processors would disturb. They run after all others. */
export const ALONE = [
  'test/aggregator/score-job.test.ts',
  'test/hostile/floods.test.ts',
  'test/hostile/full-inbox.test.ts',
  'test/hostile/peers.test.ts',
  'test/storage/redis-processes.test.ts',
  'test/storage/redis-restart.test.ts',
];

/** Every test file below `root`, those that take longest first. */
export function allFiles(root) {
  const found = testFiles(root, ['test']);
  const first = SLOW.filter((file) => found.includes(file));
  const rest = found.filter((file) => !SLOW.includes(file) && !ALONE.includes(file));
  return { beside: [...first, ...rest], alone: ALONE };
}

export function fastFiles(root) {
  return { beside: testFiles(root, FAST), alone: [] };
}

function testFiles(root, paths) {
  const below = (path) =>
    statSync(join(root, path)).isDirectory()
      ? readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map((name) => `${path}/${name}`)
      : [path];
  return paths
    .flatMap(below)
    .filter((path) => path.endsWith('.test.ts'))
    .sort();
}
