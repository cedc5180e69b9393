#!/usr/bin/env node
// `npm test`: installs what is missing, then types, lint, drift of generated files, and the tests but for those that take longest.
// `npm run test:all`: the same with every test; it decides what lands. With `--costs` it writes what each file cost.
// `npm run test:fast`: the tests that need neither a ledger nor the build, and one path through a mesh, without the checks.
// `npm test -- 'test/http/*.test.ts'` runs these tests only, one after the other, without the checks.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provideContracts } from './contracts.js';
import { build, checkNodeVersion, install, root, run, say } from './prepare.js';
import { provideChromium } from './provide-chromium.js';
import { provideRedis } from './provide-redis.js';

const tool = (...path) => join('node_modules', ...path);
const flags = ['--fast', '--all', '--costs'];
const [isFast, isAll, writesCosts] = flags.map((flag) => process.argv.includes(flag));
const chosen = process.argv.slice(2).filter((argument) => !flags.includes(argument));
const isSuite = chosen.length === 0;

checkNodeVersion();
install();
if (isFast) provideContracts();
else build({ declarations: true });
if (isSuite && !isFast) {
  step('Types', tool('typescript', 'bin', 'tsc'), ['--noEmit']);
  step('Format and lint', tool('@biomejs', 'biome', 'bin', 'biome'), ['check', '.']);
  step('Generated schema types', '--import', ['ts-blank-space/register', 'schemas/generate.ts', '--check']);
}
if (!isFast) {
  provideRedis(say);
  provideChromium(say);
}
say('Tests ...');
if (isSuite) {
  // Its packages are installed by now.
  const { runSuite } = await import('../test/support/suite/run.js');
  const { allFiles, costsOf, fastFiles, usualFiles } = await import('../test/support/suite/files.js');
  const all = allFiles(root);
  const files = isFast ? fastFiles(root) : isAll ? all : usualFiles(root);
  const { outcomes, passed } = await runSuite({ ...files, write: (text) => process.stdout.write(text) });
  const left = count(all) - count(files);
  if (left > 0) say(`${left} test files did not run: npm run test:all runs them too.`);
  if (writesCosts && isAll) {
    writeFileSync(join(root, 'test/support/suite/costs.json'), `${JSON.stringify(costsOf(outcomes), null, 2)}\n`);
  }
  process.exitCode = passed ? 0 : 1;
} else {
  const { status } = spawnSync(process.execPath, [tool('mocha', 'bin', 'mocha.js'), ...chosen], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}

function count({ beside, alone }) {
  return beside.length + alone.length;
}

function step(name, script, args) {
  say(`${name} ...`);
  run(process.execPath, [script, ...args]);
}
