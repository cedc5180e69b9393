import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../core/package-root.ts';

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
