#!/usr/bin/env node
// `npm test`: installs what is missing, then types, lint, drift of generated files, and every test.
// `npm test -- 'test/http/*.test.ts'` runs these tests only, without the checks.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { build, checkNodeVersion, install, root, run, say } from './prepare.js';

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
findRedis();
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

/**
 * The Redis tests start servers of their own. Debian's redis-tools is the server's program without the service, so
 * installing it starts nothing.
 */
function findRedis() {
  if (isOnPath('redis-server', 'valkey-server', 'redis-check-rdb') || process.env.REDIS_URL) return;
  if (process.getuid?.() === 0 && isOnPath('apt-get')) {
    say('Installing redis-tools for the Redis tests ...');
    const quiet = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    const apt = (...args) => spawnSync('apt-get', args, quiet).status === 0;
    const get = () => apt('install', '-y', '--no-install-recommends', 'redis-tools');
    if ((get() || (apt('update') && get())) && isOnPath('redis-check-rdb')) return;
  }
  say('The Redis tests are skipped: install redis-server, or set REDIS_URL to a Redis that may be written to.');
}

function isOnPath(...programs) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return programs.some((program) => folders.some((folder) => existsSync(join(folder, program))));
}

function step(name, script, args) {
  say(`${name} ...`);
  run(process.execPath, [script, ...args]);
}
