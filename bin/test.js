#!/usr/bin/env node
// `npm test`: installs what is missing, then types, lint, drift of generated files, and every test, on two processors.
// `npm run test:fast`: the tests that need neither a ledger nor the build, and one path through a mesh, without the checks.
// `npm test -- 'test/http/*.test.ts'` runs these tests only, one after the other, without the checks.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { provideContracts } from './contracts.js';
import { build, checkNodeVersion, install, root, run, say } from './prepare.js';
import { provideChromium } from './provide-chromium.js';
import { provideRedis } from './provide-redis.js';

const tool = (...path) => join('node_modules', ...path);
const chosen = process.argv.slice(2);
const isFast = chosen.includes('--fast');

checkNodeVersion();
install();
if (isFast) provideContracts();
else build({ declarations: true });
if (chosen.length === 0) {
  step('Types', tool('typescript', 'bin', 'tsc'), ['--noEmit']);
  step('Format and lint', tool('@biomejs', 'biome', 'bin', 'biome'), ['check', '.']);
  step('Generated schema types', '--import', ['ts-blank-space/register', 'schemas/generate.ts', '--check']);
}
if (!isFast) {
  provideRedis(say);
  provideChromium(say);
}
say('Tests ...');
if (isFast || chosen.length === 0) {
  // Its packages are installed by now.
  const { runSuite } = await import('../test/support/suite/run.js');
  const { allFiles, fastFiles } = await import('../test/support/suite/files.js');
  const files = isFast ? fastFiles(root) : allFiles(root);
  const passed = await runSuite({ ...files, write: (text) => process.stdout.write(text) });
  process.exitCode = passed ? 0 : 1;
} else {
  const { status } = spawnSync(process.execPath, [tool('mocha', 'bin', 'mocha.js'), ...chosen], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}

function step(name, script, args) {
  say(`${name} ...`);
  run(process.execPath, [script, ...args]);
}
