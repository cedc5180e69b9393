import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Composition, runCommand } from '../../core/cli/main.ts';
import { definePlugin, type Plugin } from '../../core/plugin.ts';
import { memoryIdempotency } from '../support/idempotency.ts';
import { shop } from '../support/shop.ts';

describe('mesh', () => {
  let folder = '';
  let file = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-'));
    file = join(folder, 'plugins.json');
    await writeFile(file, JSON.stringify({ listen: '127.0.0.1:0', log: { level: 'silent' }, plugins: { shop: {} } }));
  });
  after(() => rm(folder, { recursive: true }));

  const trap: Plugin = definePlugin({
    name: 'trap',
    api: '2.0',
    node: {
      setup() {
        throw new Error('it was started');
      },
    },
    aggregator: { setup: () => ({}) },
  });
  async function mesh(args: string[], more: Partial<Composition['builtins']['plugins']> = {}) {
    const out: string[] = [];
    const error: string[] = [];
    const plugins = { shop: () => shop().plugin, ...more } as Composition['builtins']['plugins'];
    const composition = {
      builtins: { profiles: { node: [], aggregator: [] }, plugins },
      providers: () => [memoryIdempotency],
    };
    const code = await runCommand(args, composition, {
      out: (text) => out.push(text),
      error: (text) => error.push(text),
      env: {},
      untilStopped: () => Promise.resolve(),
    });
    return { code, out: out.join('\n'), error: error.join('\n') };
  }

  it('check says what a start would do', async () => {
    assert.deepEqual(await mesh(['check', '--config', file]), {
      code: 0,
      out: 'node: 2 parts serve 22 endpoints; nothing is wrong',
      error: '',
    });
    const wrong = await mesh(['check', `--config=${file}`, '--api-addr', 'nowhere', '--json']);
    assert.equal(wrong.code, 1);
    assert.equal(JSON.parse(wrong.out).problems[0].where, 'listen');
  });

  it('plugins lists what each part serves', async () => {
    const { code, out } = await mesh(['plugins', '--config', file]);
    assert.equal(code, 0);
    assert.match(out, /^operations \(core\)\n {2}GET \/health/);
    assert.match(out, /shop \(built-in\)\n {2}GET \/shop/);
    assert.equal(JSON.parse((await mesh(['plugins', '--config', file, '--json'])).out).length, 2);
  });

  it('openapi prints the document of every plugin without starting any', async () => {
    const node = await mesh(['openapi', '--profile', 'node', '--all-plugins'], { trap: () => trap });
    assert.equal(node.code, 0);
    assert.ok(JSON.parse(node.out).paths['/shop/sell']);
    const aggregator = await mesh(['openapi', '--all-plugins', '--profile=aggregator'], { trap: () => trap });
    assert.deepEqual(JSON.parse(aggregator.out).paths['/shop/sell'], undefined);
    const configured = await mesh(['openapi', '--config', file]);
    assert.ok(JSON.parse(configured.out).paths['/shop']);
  });

  it('start runs until it is asked to stop', async () => {
    const { code, error } = await mesh(['start', '--config', file]);
    assert.equal(code, 0);
    assert.match(error, /^node 0\.1\.0 at http:\/\/127\.0\.0\.1:\d+\n/);
    assert.match(error, /shop \(built-in\): 15 routes, 0 streams/);
    const failing = await mesh(['start', '--config', file, '--api-secret', 'hunter2']);
    assert.equal(failing.code, 1);
    assert.match(failing.error, /the node cannot start:\n {2}- api\.secret: /);
    assert.doesNotMatch(failing.error, /hunter2/);
  });

  it('answers a wrong command line with 2', async () => {
    assert.equal((await mesh(['nope'])).code, 2);
    assert.equal((await mesh(['check', '--config'])).code, 2);
    assert.match(
      (await mesh(['openapi', '--all-plugins', '--profile', 'hub'])).error,
      /--profile takes node, aggregator, not hub\nusage: mesh openapi/,
    );
  });

  it('explains itself', async () => {
    assert.match((await mesh([])).out, /start {4}Runs a node/);
    assert.match((await mesh(['start', '--help'])).out, /--api-secret SECRET .*\(NODE_API_SECRET\)/);
    assert.equal((await mesh(['--version'])).out, '0.1.0');
  });
});
