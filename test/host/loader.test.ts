import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BootError, bootNode, type RunningNode } from '../../core/host/boot/boot-node.ts';
import { importDefault } from '../../core/host/loader/import-default.ts';
import { silentLog } from '../../core/platform/log.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { definePlugin } from '../../core/plugin.ts';
import { runMesh } from '../support/mesh-process.ts';

const builtins = { profiles: { node: [], aggregator: [] }, plugins: {} };
const sdk = pathToFileURL(join(packageRoot, 'core/plugin.ts')).href;

function source(name: string, api = '2.0'): string {
  return `import { definePlugin, route, typed } from ${JSON.stringify(sdk)};
    globalThis.meshLoaded = [...(globalThis.meshLoaded ?? []), ${JSON.stringify(name)}];
    export default definePlugin({ name: ${JSON.stringify(name)}, api: ${JSON.stringify(api)}, config: typed({ type: 'object' }),
      node: { routes: { hello: route('GET /${name}', { auth: 'open', reply: typed({ type: 'object' }) }) },
        setup: (_, { config }) => ({ routes: { hello: () => ({ hello: config.city }) } }) } });`;
}

describe('a file that waits for ever while it is imported', () => {
  it('is given up with what helps', async () => {
    const url = 'data:text/javascript,await new Promise(() => {})';
    await assert.rejects(importDefault(url, 20), {
      message: 'its import did not end within 0.02 seconds; what it waits for belongs in ready, or a job',
    });
  });
});

describe('plugins from elsewhere', () => {
  let folder = '';
  let node: RunningNode | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-'));
  });
  afterEach(async () => {
    await node?.stop();
    node = undefined;
    await rm(folder, { recursive: true });
  });

  async function install(name: string, manifest: object, files: Record<string, string>): Promise<void> {
    const home = join(folder, 'node_modules', name);
    await mkdir(home, { recursive: true });
    await writeFile(
      join(home, 'package.json'),
      JSON.stringify({ name, version: '3.2.1', type: 'module', ...manifest }),
    );
    for (const [file, text] of Object.entries(files)) await writeFile(join(home, file), text);
  }
  function boot(plugins: Record<string, object>): Promise<RunningNode> {
    const value = { listen: '127.0.0.1:0', plugins };
    return bootNode({ config: { value, folder }, builtins, log: silentLog });
  }
  async function failure(plugins: Record<string, object>): Promise<string> {
    const error = await boot(plugins).then(
      () => assert.fail('it booted'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof BootError);
    return error.message;
  }

  it('are npm packages beside plugins.json, whatever their exports say', async () => {
    const manifest = { exports: { import: './main.js' }, mesh: { plugin: './main.js', api: '2.0' } };
    await install('@acme/mesh-weather', manifest, { 'main.js': source('weather') });
    node = await boot({ '@acme/mesh-weather': { city: 'Oslo' } });
    assert.deepEqual(await (await fetch(`${node.url}/weather`)).json(), { hello: 'Oslo' });
    const report = node.report.plugins.find(({ name }) => name === 'weather');
    assert.deepEqual([report?.from, report?.version, report?.routes], ['package', '3.2.1', 1]);
  });

  it('are there without a line when they are standard, until their line says false', async () => {
    const bell = definePlugin({ name: 'bell', api: '2.0', node: { setup: () => ({}) } });
    const withBell = { ...builtins, plugins: { bell: () => bell }, standard: { node: ['bell'], aggregator: [] } };
    const namesWith = async (plugins: Record<string, boolean>) => {
      const value = { listen: '127.0.0.1:0', plugins };
      node = await bootNode({ config: { value, folder }, builtins: withBell, log: silentLog });
      const names = node.report.plugins.map(({ name }) => name);
      await node.stop();
      return names.includes('bell');
    };
    assert.deepEqual(
      [await namesWith({}), await namesWith({ bell: true }), await namesWith({ bell: false })],
      [true, true, false],
    );
  });

  it('are files beside plugins.json', async () => {
    await writeFile(join(folder, 'local.mjs'), source('local'));
    node = await boot({ './local.mjs': { city: 'Bergen' } });
    assert.deepEqual(await (await fetch(`${node.url}/local`)).json(), { hello: 'Bergen' });
  });

  it('are left out when they are optional and take an error code, a guard or a schema that is not theirs', async () => {
    const members = {
      coded: "errors: { not_found: [409, 'Gone.'] }, node: { setup: () => ({}) }",
      guarded: 'node: { guards: { open: {} }, setup: () => ({ guards: { open: () => undefined } }) }',
      shaped: "schemas: [{ $id: 'other/shape', type: 'object' }], node: { setup: () => ({}) }",
    };
    for (const [name, rest] of Object.entries(members))
      await writeFile(join(folder, `${name}.mjs`), `export default { name: '${name}', api: '2.0', ${rest} };`);
    const names = Object.keys(members);
    node = await boot(Object.fromEntries(names.map((name) => [`./${name}.mjs`, { optional: true }])));
    const out = node.report.plugins.filter(({ state }) => state === 'out').map(({ name }) => name);
    assert.deepEqual(out, names);
  });

  it('are not run when they ask for another contract', async () => {
    await install('newer', { mesh: { plugin: './main.js', api: '2.7' } }, { 'main.js': source('newer', '2.7') });
    await install('older', { mesh: { plugin: './main.js', api: '1.0' } }, { 'main.js': source('older', '1.0') });
    const said = await failure({ newer: {}, older: {} });
    assert.match(
      said,
      /newer: plugin_api_mismatch: it needs plugin API 2\.7, this node offers 2\.2; upgrade agent-mesh or install an older/,
    );
    assert.match(
      said,
      /older: plugin_api_mismatch: .*; move it as docs\/plugin-guide\.md says under "From contract 1 to 2", or install a newer/,
    );
    const { meshLoaded = [] } = globalThis as { meshLoaded?: string[] };
    assert.ok(!meshLoaded.includes('newer') && !meshLoaded.includes('older'));
  });

  it('are named when their manifest or module is no plugin', async () => {
    await install('plain', {}, {});
    await install('empty', { mesh: { plugin: './main.js', api: '2.0' } }, { 'main.js': 'export const x = 1;' });
    await install(
      'broken',
      { mesh: { plugin: './main.js', api: '2.0' } },
      { 'main.js': 'throw new Error("at import")' },
    );
    await install('lying', { mesh: { plugin: './main.js', api: '2.0' } }, { 'main.js': source('lying', '2.7') });
    await install('other', { mesh: { plugin: './main.js', api: '2.0' } }, { 'main.js': source('Weather!') });
    await writeFile(join(folder, 'one.mjs'), source('same'));
    await writeFile(join(folder, 'two.mjs'), source('same'));
    const said = await failure({
      plain: {},
      empty: {},
      broken: {},
      lying: {},
      other: {},
      './one.mjs': {},
      './two.mjs': {},
    });
    assert.match(said, /plain: its package\.json has no "mesh"/);
    assert.match(said, /empty: it has no default export made by definePlugin/);
    assert.match(said, /broken: at import/);
    assert.match(said, /lying: plugin_api_mismatch/);
    assert.match(said, /other: its name "Weather!" must be kebab-case/);
    assert.match(said, /\.\/two\.mjs: its name same is taken by \.\/one\.mjs/);
  });

  it('say what keeps them from being loaded, with the place in their code', async () => {
    const write = (name: string, text: string) => writeFile(join(folder, name), text);
    await write('package.json', '{ "type": "module" }');
    await write('syntax.js', "export default {\n  name: 'x'\n  api: '2.0',\n};");
    await write('imports.js', "import './syntax.js';\nexport default {};");
    await write('top.js', "\n\nthrow new Error('at the top');");
    await mkdir(join(folder, 'inside'));
    await write('inside/index.js', 'export default {};');
    const plugin = (rest: string) =>
      `import { definePlugin, route, typed } from ${JSON.stringify(sdk)};\nexport default definePlugin({ api: '2.0', ${rest} });`;
    await write(
      'open.js',
      plugin(`name: 'open', node: {
      routes: { hello: route('GET /hello', { reply: typed({ type: 'object' }) }) },
      setup: () => ({ routes: { hello: () => ({}) } }) }`),
    );
    const files = ['./syntax.js', './imports.js', './top.js', './inside', './open.js'];
    const said = await failure(Object.fromEntries(files.map((file) => [file, {}])));
    const lines = said.split('\n').map((line) => line.replaceAll(folder, '<folder>').replaceAll('/private', ''));
    assert.deepEqual(lines.slice(1), [
      "  - ./syntax.js: <folder>/syntax.js:3:3: Unexpected identifier 'api', at api: '2.0',",
      "  - ./imports.js: <folder>/syntax.js:3:3: Unexpected identifier 'api', at api: '2.0',",
      '  - ./top.js: at the top at <folder>/top.js:3:7',
      '  - ./inside: <folder>/inside is a folder without a package.json; name the file in it that is meant',
      '  - open: GET /hello: it does not say who may call it at <folder>/open.js:3:31; auth is one of open, api, api-read, api-secret, x402, agent, or a guard that the plugin declares',
    ]);
    await write('fails.js', plugin("name: 'fails', node: { setup() {\n  throw new Error('no device');\n} }"));
    assert.match(await failure({ './fails.js': {} }), /fails: setup failed: no device at .*\/fails\.js:3:9$/m);
  });

  it('say that this Node runs no TypeScript (skipped where it does)', async function () {
    if (Number(process.versions.node.split('.')[0]) >= 22) this.skip();
    await writeFile(join(folder, 'typed.ts'), "const name: string = 'x'; export default name;");
    const config = join(folder, 'plugins.json');
    await writeFile(config, JSON.stringify({ plugins: { './typed.ts': {} } }));
    // In a process of its own: this one reads TypeScript, as tests do.
    const { err, code } = await runMesh(['check', '--config', config]);
    assert.equal(code, 1);
    assert.match(
      err,
      /typed\.ts: Node 20\.\S+ does not read TypeScript: use Node 22\.18 or newer, or compile it to JavaScript/,
    );
  });
});
