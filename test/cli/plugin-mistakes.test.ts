import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../core/platform/package-root.ts';
import { runMesh } from '../support/mesh-process.ts';

const SDK = pathToFileURL(join(packageRoot, 'dist/core/plugin.js')).href;
const plugin = (face: string) => `import { definePlugin, route } from ${JSON.stringify(SDK)};
export default definePlugin({
  name: 'sample',
  api: '2.0',
  node: { ${face} },
});
`;

describe('a plugin with a mistake', function () {
  this.timeout(60_000);
  let folder = '';

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** What `mesh check` says of the plugin, alone and in a plugins.json. */
  async function said(file: string, ...flags: string[]): Promise<[alone: string, configured: string]> {
    const config = JSON.stringify({ listen: '127.0.0.1:0', plugins: { [`./${file}`]: {} } });
    await writeFile(join(folder, 'plugins.json'), config);
    const alone = await runMesh(['check', join(folder, file), ...flags], { cwd: folder });
    const configured = await runMesh(['check', ...flags], { cwd: folder });
    assert.deepEqual([alone.code, configured.code], [1, 1], alone.out + configured.out);
    return [alone.out + alone.err, configured.err];
  }

  it('in its syntax is told its line and column', async () => {
    await writeFile(join(folder, 'bad.mjs'), 'export default {\n  name: "bad",\n  api: 1.0 2,\n};\n');
    for (const text of await said('bad.mjs')) {
      assert.match(text, /bad\.mjs: .*bad\.mjs:3:12: Unexpected number, at api: 1\.0 2,/);
    }
  });

  it('that imports what is not there is told which', async () => {
    await writeFile(join(folder, 'needy.mjs'), "import 'left-pad-of-nobody';\nexport default {};\n");
    for (const text of await said('needy.mjs')) {
      assert.match(text, /needy\.mjs: Cannot find package 'left-pad-of-nobody'.*; install it, or correct the import/);
    }
  });

  it('in TypeScript is told which Node reads it', async function () {
    if ('typescript' in process.features && process.features.typescript) return this.skip();
    await writeFile(join(folder, 'typed.ts'), 'export default {} as object;\n');
    for (const text of await said('typed.ts')) {
      assert.match(text, /Node \S+ does not read TypeScript: use Node 22\.18 or newer, or compile it to JavaScript/);
    }
  });

  it('as a folder is a package, or told to name its file', async () => {
    await mkdir(join(folder, 'mine'));
    const [alone, configured] = await said('mine');
    assert.match(alone, /there is no package\.json in this folder/);
    assert.match(configured, /mine is a folder without a package\.json; name the file in it that is meant/);
    const manifest = { type: 'module', mesh: { plugin: './main.js', api: '2.0' } };
    await writeFile(join(folder, 'mine/package.json'), JSON.stringify(manifest));
    await writeFile(join(folder, 'mine/main.js'), plugin('setup: () => ({})'));
    assert.equal((await runMesh(['check'], { cwd: folder })).code, 0);
  });

  it('without auth is told what there is, and with a misspelt one what it means', async () => {
    const routed = (auth: string) =>
      plugin(
        `routes: { hi: route('GET /hi', { ${auth} summary: 'Hi.', reply: 'bytes' }) }, setup: () => ({ routes: { hi: () => new Uint8Array(0) } })`,
      );
    await writeFile(join(folder, 'open.mjs'), routed(''));
    for (const text of await said('open.mjs')) {
      assert.match(text, /GET \/hi: it does not say who may call it/);
      assert.doesNotMatch(text, /undefined/);
    }
    const [, hint] = await said('open.mjs');
    assert.match(
      hint,
      /; auth is one of open, api, api-read, api-secret, x402, agent, hosted, hosted-or-anyone, or a guard that the plugin declares/,
    );
    await writeFile(join(folder, 'open.mjs'), routed("auth: 'api_read',"));
    for (const text of await said('open.mjs')) assert.match(text, /no guard named api_read; did you mean api-read\?/);
  });

  it('in its setup stops the start with a sentence, and with --verbose says where', async () => {
    await writeFile(join(folder, 'faulty.mjs'), plugin("setup() { throw new Error('out of paint'); }"));
    const stack = /^ +at .*faulty\.mjs:5:\d+/m;
    const config = { listen: '127.0.0.1:0', log: { level: 'silent' }, plugins: { './faulty.mjs': {} } };
    await writeFile(join(folder, 'plugins.json'), JSON.stringify(config));
    const start = await runMesh(['start'], { cwd: folder });
    assert.equal(start.code, 1);
    assert.match(
      start.err,
      /the node cannot start:\n {2}- sample: setup failed: out of paint at \S+faulty\.mjs:5:\d+\n/,
    );
    assert.doesNotMatch(start.err, stack);
    const verbose = await runMesh(['start', '--verbose'], { cwd: folder });
    assert.match(verbose.err, stack);
    const checked = await runMesh(['check', './faulty.mjs', '--verbose'], { cwd: folder });
    assert.match(checked.out, stack);
  });
});
