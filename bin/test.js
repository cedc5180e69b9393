#!/usr/bin/env node
// `npm test`: installs what is missing, then types, lint, drift of generated files, and every test.
// `npm test -- 'test/http/*.test.ts'` runs these tests only, without the checks.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build, checkNodeVersion, install, root, run, say } from './prepare.js';
import { provideRedis } from './provide-redis.js';

const tool = (...path) => join('node_modules', ...path);
const chosen = process.argv.slice(2);

checkNodeVersion();
install();
build();
if (chosen.length === 0) {
  step('Types', tool('typescript', 'bin', 'tsc'), ['--noEmit']);
  step('Format and lint', tool('@biomejs', 'biome', 'bin', 'biome'), ['check', '.']);
  step('Generated schema types', tool('tsx', 'dist', 'cli.mjs'), ['schemas/generate.ts', '--check']);
}
provideRedis(say);
say('Tests ...');
const { status } = spawnSync(
  process.execPath,
  [tool('mocha', 'bin', 'mocha.js'), ...(chosen.length === 0 ? ['test/**/*.test.ts'] : chosen)],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;

function step(name, script, args) {
  say(`${name} ...`);
  run(process.execPath, [script, ...args]);
}
