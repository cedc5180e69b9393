import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { adapters } from '../../adapters/index.ts';
import { BootError } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { definePlugin } from '../../core/plugin.ts';
import { counter } from '../../core/storage/declarations.ts';

const example = join(packageRoot, 'examples/storage-adapter');
const starts = counter('starts');

/** Counts how often it was started, in its part of the store. */
function starter(seen: bigint[]) {
  return definePlugin({
    name: 'starter',
    api: '2.0',
    node: {
      async setup(_, { space }) {
        await space.tx([], (tx) => tx.add(starts, 1n));
        seen.push(await space.total(starts));
        return {};
      },
    },
  });
}

describe('a storage adapter of a third party', () => {
  let folder = '';
  let home = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-kit-'));
    home = join(folder, 'node_modules/@acme/mesh-storage-x');
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** The example under another name; the package it imports is the source it is tested with. */
  async function install(mesh: object = { storage: './index.js', api: '1.0' }, text?: string): Promise<void> {
    const sdk = pathToFileURL(join(packageRoot, 'core/storage/adapter.ts')).href;
    await cp(example, home, { recursive: true });
    const source = text ?? (await readFile(join(example, 'index.js'), 'utf8'));
    await writeFile(join(home, 'index.js'), source.replace("'agent-mesh/storage'", `'${sdk}'`));
    const manifest = { name: '@acme/mesh-storage-x', version: '2.0.0', type: 'module', mesh };
    await writeFile(join(home, 'package.json'), JSON.stringify(manifest));
  }

  async function start(use: string, seen: bigint[] = [], settings: object = {}): Promise<readonly string[]> {
    const node = await startNode({
      parts: { adapters, plugins: { starter: async () => starter(seen) } },
      config: { folder, value: { listen: '127.0.0.1:0', storage: { use, ...settings }, plugins: { starter: {} } } },
      log: silentLog,
      grace: 1_000,
    });
    assert.deepEqual(await node.stop(), []);
    return node.report.notes;
  }

  it('is loaded from node_modules beside plugins.json, keeps its promise, and says what it guarantees', async () => {
    await install();
    const seen: bigint[] = [];
    const notes = await start('@acme/mesh-storage-x', seen);
    await start('@acme/mesh-storage-x', seen);
    assert.deepEqual(seen, [1n, 2n]);
    assert.ok(notes.includes('storage: example, durability relaxed, one process'), notes.join());
  });

  it('may be a file beside plugins.json', async () => {
    await install();
    await start('./node_modules/@acme/mesh-storage-x/index.js');
  });

  it('is named when it was misspelt, and nobody is sent to install a package of that name', async () => {
    await assert.rejects(start('lowbd'), (error: Error) => {
      assert.match(error.message, /lowbd: neither built in nor installed; did you mean lowdb\?/);
      assert.doesNotMatch(error.message, /npm install/);
      return true;
    });
  });

  it('is refused with a sentence when it does not fit', async () => {
    const use = '@acme/mesh-storage-x';
    const cases: [prepare: () => Promise<unknown>, said: RegExp][] = [
      [
        () => mkdir(home, { recursive: true }),
        /neither built in nor installed; run npm install @acme.* \(built in are lowdb/,
      ],
      [() => install({ plugin: './index.js', api: '1.0' }), /its package.json has no "mesh": \{ "storage": "<file>"/],
      [() => install({ storage: './index.js', api: '1.9' }), /storage_api_mismatch: it needs storage API 1\.9/],
      [() => install(undefined, 'export const make = 1;'), /has no default export that makes one/],
      [
        () =>
          install({ storage: './short.js', api: '1.0' }).then(() =>
            writeFile(join(home, 'short.js'), 'export default () => ({ open() {} });'),
          ),
        /lacks read, range, rank/,
      ],
    ];
    for (const [prepare, said] of cases) {
      await prepare();
      const error = await start(use).then(
        () => assert.fail('it started'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof BootError, String(error));
      assert.match(error.message, said);
    }
  });

  it('takes the settings that it declares, and no others', async () => {
    await install();
    const text = `import make from './index.js';
      export default Object.assign((options) => make(options), { settings: { pages: { type: 'integer' } } });`;
    await writeFile(join(home, 'declared.js'), text);
    const use = './node_modules/@acme/mesh-storage-x/declared.js';
    await start(use, [], { pages: 3 });
    const refusal = async (used: string, settings: object) => {
      const error = await start(used, [], settings).then(
        () => assert.fail('it started'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof BootError);
      return error.problems.map(({ where, what }) => `${where} ${what}`);
    };
    assert.deepEqual(await refusal(use, { page: 3 }), ['storage.page is not a known field; did you mean pages?']);
    assert.deepEqual(await refusal(use, { pages: 'all' }), ['storage.pages must be an integer']);
    const plain = './node_modules/@acme/mesh-storage-x/index.js';
    assert.deepEqual(await refusal(plain, { pages: 3 }), ['storage.pages is not a known field']);
  });

  it('is shown in under 150 lines', async () => {
    const text = await readFile(join(example, 'index.js'), 'utf8');
    assert.ok(text.split('\n').length <= 150);
  });
});
