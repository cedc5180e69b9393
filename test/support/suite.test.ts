import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../core/platform/package-root.ts';

const SUITE = pathToFileURL(join(packageRoot, 'test/support/suite/')).href;

describe('the suite', function () {
  this.timeout(30_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-suite-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** What it prints, and how it ends, for these test files. */
  async function run(beside: Record<string, string>, alone: Record<string, string> = {}) {
    const write = (files: Record<string, string>) =>
      Promise.all(
        Object.entries(files).map(async ([name, script]) => {
          const path = join(folder, `${name}.test.mjs`);
          await writeFile(path, script);
          return path;
        }),
      );
    const files = JSON.stringify({ beside: await write(beside), alone: await write(alone) });
    const script = `
      const { runSuite } = await import('${SUITE}run.js');
      const { passed } = await runSuite({ ...${files}, write: (text) => process.stdout.write(text) });
      process.exitCode = passed ? 0 : 1;`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    return { out, code };
  }

  it('adds up what every file found, and shows each file as a whole', async () => {
    const { out, code } = await run({
      one: "it('counts', async () => { for (const n of [1, 2, 3]) { console.log(n); await new Promise((r) => setTimeout(r, 50)); } });",
      two: "it('counts too', async () => { for (const n of [4, 5, 6]) { console.log(n); await new Promise((r) => setTimeout(r, 50)); } }); it('waits');",
    });
    assert.equal(code, 0, out);
    assert.match(out, /one\.test\.mjs \([\d.]+ s, [\d.]+ s of processor time\)\s+1\n2\n3\n.*counts/);
    assert.match(out, /two\.test\.mjs \([\d.]+ s, [\d.]+ s of processor time\)\s+4\n5\n6\n.*counts too/);
    assert.match(out, /\n2 passed, 0 failed, 1 skipped\n$/);
  });

  it('fails with each failed test and the files that cannot be loaded', async () => {
    const { out, code } = await run({
      wrong: "it('adds', () => { throw new Error('one and one is three'); });",
      broken: "import './nowhere.mjs';",
    });
    assert.equal(code, 1);
    assert.match(out, /2 failed:\n(.*\n)*.*adds\n {4}Error: one and one is three/);
    assert.match(out, /broken\.test\.mjs cannot be loaded\n.*nowhere\.m[jt]s/);
    assert.match(out, /\n0 passed, 2 failed, 0 skipped\n$/);
  });

  it('lists what passed only at its second try, with its first error', async () => {
    const { out, code } = await run({
      late: "let tries = 0; it('answers', () => { if (tries++ === 0) throw new Error('late'); });",
    });
    assert.equal(code, 0, out);
    assert.match(out, /\n1 tried again:\n {2}answers\n {4}Error: late\n(.*\n)*\n1 passed, 0 failed, 0 skipped\n$/);
  });

  it('gives no second try to a property that failed', async () => {
    const { out, code } = await run({
      property:
        "let tries = 0; it('holds', () => { if (tries++ === 0) throw new Error('Property failed after 3 tests'); });",
    });
    assert.equal(code, 1, out);
    assert.match(out, /1 failed:\n {2}holds\n {4}Error: Property failed after 3 tests/);
  });

  it('fails when a process dies, during a file or after it, and still runs the others', async () => {
    const { out, code } = await run({
      dies: "it('ends', () => process.kill(process.pid, 'SIGKILL'));",
      lingers: "it('leaves something', () => { setTimeout(() => { throw new Error('too late'); }, 300); });",
      works: "it('works', () => {});",
    });
    assert.equal(code, 1);
    assert.match(out, /dies\.test\.mjs\n {4}The process that ran it ended with SIGKILL during it/);
    assert.match(out, /lingers\.test\.mjs\n {4}The process that ran it ended with 1 after it/);
    assert.match(out, /\n2 passed, 2 failed, 0 skipped\n$/);
  });

  it('runs files alone after all others, one after the other', async () => {
    const measure = (name: string) => `
      import { appendFileSync } from 'node:fs';
      it('${name}', async () => {
        appendFileSync('${join(folder, 'order')}', 'begin ');
        await new Promise((r) => setTimeout(r, 100));
        appendFileSync('${join(folder, 'order')}', 'end ');
      });`;
    const { out, code } = await run({ slow: measure('slow') }, { first: measure('first'), second: measure('second') });
    assert.equal(code, 0, out);
    assert.equal(await readFile(join(folder, 'order'), 'utf8'), 'begin end '.repeat(3));
  });

  it('knows only files that exist', async () => {
    const { ALONE, BUILT, COSTS, FAST, KEPT, allFiles, fastFiles } = await import(`${SUITE}files.js`);
    for (const path of [...ALONE, ...BUILT, ...FAST, ...KEPT, ...Object.keys(COSTS)])
      assert.ok(existsSync(join(packageRoot, path)), path);
    const { beside, alone }: { beside: string[]; alone: string[] } = allFiles(packageRoot);
    assert.equal(new Set([...beside, ...alone]).size, beside.length + alone.length);
    assert.ok(beside.includes('test/support/suite.test.ts'));
    const fast: string[] = fastFiles(packageRoot).beside;
    assert.ok(fast.length > 50 && fast.every((path) => beside.includes(path)));
  });

  it('leaves out of `npm test` what is dear, but for one path through each thing', async () => {
    const { ALONE, COSTS, DEAR, KEPT, allFiles, costsOf, usualFiles } = await import(`${SUITE}files.js`);
    const usual: string[] = Object.values(usualFiles(packageRoot) as Record<string, string[]>).flat();
    for (const path of KEPT) assert.ok(usual.includes(path), path);
    const all: string[] = Object.values(allFiles(packageRoot) as Record<string, string[]>).flat();
    for (const path of all.filter((one) => !usual.includes(one))) assert.ok(COSTS[path] > DEAR, path);
    // Seven minutes on two processors, which are busy for three quarters of the time; checks and build take two.
    const cost = usual.reduce((sum, path) => sum + (COSTS[path] ?? 0.3), 0);
    assert.ok(cost < 700, `${cost} s of processor time`);
    assert.deepEqual(allFiles(packageRoot).alone.toSorted(), ALONE.toSorted());
    const outcomes = [
      { file: 'test/b.test.ts', processorMs: 12_499 },
      { file: 'test/a.test.ts', processorMs: 5_000 },
      { file: 'test/c.test.ts', processorMs: 499 },
    ];
    assert.equal(JSON.stringify(costsOf(outcomes)), '{"test/a.test.ts":5,"test/b.test.ts":12}');
  });
});
