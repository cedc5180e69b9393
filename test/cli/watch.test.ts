import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { freePort, MeshProcess, runMesh } from '../support/mesh-process.ts';

const PLUGIN = `import { definePlugin, route, typed } from 'agent-mesh/plugin';
import { word } from './lib/word.js';
export default definePlugin({
  name: 'hello',
  api: '2.0',
  config: typed({ type: 'object', properties: { to: { type: 'string', default: 'you' } } }),
  node: {
    routes: { hello: route('GET /hello', { auth: 'open', reply: typed({ type: 'string' }) }) },
    setup: (_, { config }) => ({ routes: { hello: () => word + ' ' + config.to } }),
  },
});
`;

describe('mesh start --watch', function () {
  this.timeout(60_000);
  let folder = '';
  let port = 0;
  let node: MeshProcess | undefined;
  before(async function () {
    // A checkout is built by the first command.
    this.timeout(120_000);
    await runMesh(['--version']);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-watch-'));
    port = await freePort();
    await mkdir(join(folder, 'node_modules'));
    await symlink(packageRoot, join(folder, 'node_modules/agent-mesh'));
    await mkdir(join(folder, 'lib'));
    await write('package.json', '{ "type": "module" }');
    await write('hello.js', PLUGIN);
    await write('lib/word.js', "export const word = 'hello';\n");
    await configure({ './hello.js': {} });
  });
  afterEach(async () => {
    await node?.kill();
    node = undefined;
    await rm(folder, { recursive: true });
  });

  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const configure = (plugins: object) =>
    write('plugins.json', JSON.stringify({ listen: `127.0.0.1:${port}`, log: { level: 'error' }, plugins }));
  const hello = async () => (await fetch(`http://127.0.0.1:${port}/hello`)).json();
  async function started(): Promise<MeshProcess> {
    const made = new MeshProcess(['start', '--watch'], { cwd: folder });
    node = made;
    await made.until(() => made.err.includes('--watch: '), 'it starts');
    return made;
  }
  /** The one line that a change is answered with. */
  async function answered(change: Promise<void>): Promise<string> {
    const before = node!.err.length;
    await change;
    await node!.until(() => node!.err.slice(before).endsWith('\n'), 'a line about the change');
    return node!.err.slice(before).trimEnd();
  }

  it('starts again on the same port with what a plugin imports, the plugin and plugins.json', async () => {
    const watched = await started();
    assert.equal(await hello(), 'hello you');
    const runs = `changed, the node runs with it at http://127.0.0.1:${port}`;
    assert.equal(await answered(write('lib/word.js', "export const word = 'ahoy';\n")), `lib/word.js ${runs}`);
    assert.equal(await hello(), 'ahoy you');
    assert.equal(await answered(write('hello.js', PLUGIN.replace("' '", "', '"))), `hello.js ${runs}`);
    assert.equal(await hello(), 'ahoy, you');
    assert.equal(await answered(configure({ './hello.js': { to: 'Ada' } })), `plugins.json ${runs}`);
    assert.equal(await hello(), 'ahoy, Ada');
    assert.equal((await watched.stop()).code, 0);
  });

  it('tells why a change is broken, keeps the node as it was, and takes what mends it', async () => {
    const watched = await started();
    const kept = /^(\S+) changed and is not taken over, the node runs on as it was: (.*)$/;
    const syntax = kept.exec(await answered(write('lib/word.js', 'export const word = ;\n')));
    assert.match(syntax![2]!, /^\.\/hello\.js: .*\/lib\/word\.js:1:21: Unexpected token/);
    assert.equal(await hello(), 'hello you');

    await answered(write('lib/word.js', "export const word = 'hi';\n"));
    const misspelt = kept.exec(await answered(write('hello.js', PLUGIN.replace('routes: {', 'route: {'))));
    assert.match(misspelt![2]!, /^\.\/hello\.js: its node face has no member route at .*:8:5; did you mean routes\?$/);
    assert.equal(await hello(), 'hi you');

    const throws = PLUGIN.replace("() => word + ' ' + config.to", 'config.none.length');
    assert.match(
      await answered(write('hello.js', throws)),
      /^hello\.js changed and does not start, the node runs on as it was: hello: setup failed: Cannot read .* at .*\/hello\.js:9:\d+$/,
    );
    assert.equal(await hello(), 'hi you');
    const broken = kept.exec(await answered(write('plugins.json', '{ "plugins": ')));
    assert.match(broken![2]!, /the file ends too early/);
    await answered(write('hello.js', PLUGIN));
    assert.equal(await hello(), 'hi you');
    await answered(configure({ './hello.js': { to: 'Bo' } }));
    assert.equal(await hello(), 'hi Bo');
    assert.equal((await watched.stop()).code, 0);
  });
});
