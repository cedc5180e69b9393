import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../core/platform/package-root.ts';

const run = promisify(execFile);
/** Prints to stdout as the real one does, and leaves what it was asked for. */
const NPM = `#!/bin/sh
mkdir -p node_modules
echo "$*" >> asked
echo; echo "added 384 packages in 22s"
`;
const SCRIPT = "import('./bin/prepare.js').then(({ install }) => { install(); console.log('{}'); })";

describe('the preparation of a checkout', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prepare-'));
    await mkdir(join(folder, 'bin'));
    await cp(join(packageRoot, 'bin/prepare.js'), join(folder, 'bin/prepare.js'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'package-lock.json'), '{}');
    await writeFile(join(folder, 'npm'), NPM, { mode: 0o755 });
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  function prepare() {
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` };
    return run(process.execPath, ['-e', SCRIPT], { cwd: folder, env });
  }

  it('leaves stdout to the command, and shows on stderr what npm says', async () => {
    const { stdout, stderr } = await prepare();
    assert.equal(stdout, '{}\n');
    assert.match(stderr, /Installing the packages.*added 384 packages/s);
  });

  it('installs nothing after an `npm ci` that has left what the lock names', async () => {
    const { platform, arch } = process;
    const packages = {
      '': { name: 'agent-mesh' },
      'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
      'node_modules/b': { version: '2.0.0', integrity: 'sha512-b', dev: true },
      'node_modules/elsewhere': { version: '1.0.0', optional: true, os: ['beos'] },
      'node_modules/not-here': { version: '1.0.0', optional: true, os: [`!${platform}`] },
      'node_modules/other-libc': { version: '1.0.0', optional: true, os: [platform], libc: ['musl'] },
      'node_modules/here': { version: '1.0.0', optional: true, os: [platform], cpu: [arch] },
    };
    const { a, b, here } = Object.fromEntries(
      Object.entries(packages).map(([path, one]) => [path.replace('node_modules/', ''), one]),
    ) as Record<string, object>;
    const whole = { 'node_modules/a': a, 'node_modules/b': b, 'node_modules/here': here };
    const { 'node_modules/b': _, ...withoutDev } = whole;
    const { 'node_modules/here': __, ...withoutOptional } = whole;
    const CASES: [there: object, isAsked: boolean][] = [
      [whole, false],
      [withoutDev, true],
      [withoutOptional, true],
      [{ ...whole, 'node_modules/a': { version: '1.0.1', integrity: 'sha512-c' } }, true],
      [{ ...whole, 'node_modules/surplus': { version: '1.0.0' } }, true],
    ];
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
    await mkdir(join(folder, 'node_modules'));
    for (const [there, isAsked] of CASES) {
      await rm(join(folder, 'asked'), { force: true });
      await rm(join(folder, 'node_modules/.agent-mesh-lock'), { force: true });
      await writeFile(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: there }));
      await prepare();
      assert.equal(existsSync(join(folder, 'asked')), isAsked, JSON.stringify(there));
      await prepare();
      const asked = isAsked ? await readFile(join(folder, 'asked'), 'utf8') : '';
      assert.equal(asked.split('\n').length - 1, isAsked ? 1 : 0);
    }
  });

  it('leaves no half of a build that failed, nor of one that was killed', async () => {
    const script = (asked: string) => `import('./bin/prepare.js').then(({ build }) => build(${asked}))`;
    for (const source of ['core', 'adapters', 'plugins', 'schemas', 'clients/recount'])
      await mkdir(join(folder, source), { recursive: true });
    for (const name of ['bundle.js', 'bundle-pages.js', 'compile-contracts.ts', 'contracts.js']) {
      await writeFile(join(folder, 'bin', name), '');
    }
    await writeFile(join(folder, 'bin/declarations.js'), '');
    await writeFile(join(folder, 'tsconfig.build.json'), '{}');
    await mkdir(join(folder, 'dist-999999999'));
    await mkdir(join(folder, `dist-${process.pid}`));
    await mkdir(join(folder, 'node_modules/typescript/bin'), { recursive: true });
    const tsc = "require('node:fs').writeFileSync(process.argv.at(-1) + '/half', ''); process.exit(3);";
    await writeFile(join(folder, 'node_modules/typescript/bin/tsc'), tsc);
    await writeFile(join(folder, 'node_modules/typescript/package.json'), '{}');
    const failing = run(process.execPath, ['-e', script('{ declarations: true }')], { cwd: folder });
    await assert.rejects(failing, /failed \(exit code 3\)/);
    const left = async () => (await readdir(folder)).filter((name) => name.startsWith('dist'));
    assert.deepEqual(await left(), [`dist-${process.pid}`]);
    // The program alone needs no compiler.
    await run(process.execPath, ['-e', script('')], { cwd: folder });
    assert.deepEqual(await left(), ['dist', `dist-${process.pid}`]);
    assert.deepEqual(await readdir(join(folder, 'dist')), ['.built']);
  });

  it('installs again only when the lock file is another', async () => {
    const asked = async () => (await readFile(join(folder, 'asked'), 'utf8')).split('\n').length - 1;
    await prepare();
    await prepare();
    assert.equal(await asked(), 1);
    await writeFile(join(folder, 'package-lock.json'), '{ "packages": {} }');
    await prepare();
    assert.equal(await asked(), 2);
  });
});
