import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiSecretOf } from '../../core/host/config/api-secret.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { definePlugin, type Plugin, route, stream, token, typed } from '../../core/plugin.ts';
import { bootFailure } from '../support/boot-failure.ts';
import { impatient } from '../support/impatient.ts';

interface Greeter {
  greet(name: string): string;
}
const Greeter = token<Greeter>('test/greeter');
const Farewell = token<{ bye(): string }>('test/farewell');
const Text = typed<{ text: string }>({ type: 'object', required: ['text'], properties: { text: { type: 'string' } } });

describe('a boot that fails', () => {
  const greeter = definePlugin({
    name: 'greeter',
    api: '2.0',
    node: {
      provides: { greeter: Greeter },
      setup: () => ({ provides: { greeter: { greet: (name) => `hello ${name}` } } }),
    },
  });
  it('says what is wrong with the API secret in the data folder, and with the folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mesh-secret-'));
    await writeFile(join(folder, 'api-secret'), 'short');
    const api = { secret: undefined };
    const short = await bootFailure({ settings: { api, dataDir: folder } });
    assert.match(short.message, /api\.secret: could not be read or made: .*holds no secret; delete it/);
    for (const spoken of ['a secret of my own', 'a-secret-for-Zürich']) {
      await writeFile(join(folder, 'api-secret'), spoken);
      const unheard = await bootFailure({ settings: { api, dataDir: folder } });
      assert.match(unheard.message, /api\.secret: .*character that no header carries; write a secret without/);
      assert.ok(!unheard.message.includes(spoken));
      const given = await bootFailure({ settings: { api: { secret: spoken }, dataDir: folder } });
      assert.match(given.message, /api\.secret: has the wrong form; expected: .*ASCII without spaces/);
    }
    await rm(join(folder, 'api-secret'));
    const made = await apiSecretOf(folder, undefined, systemRandom);
    await writeFile(
      join(folder, 'api-secret'),
      made.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    );
    const damaged = await bootFailure({ settings: { api, dataDir: folder } });
    assert.match(damaged.message, /api\.secret: .*api-secret is damaged.*Restore it.*delete it and a new one is made/);
    for (const own of ['a-secret-of-my-own', made.slice(-52, -9)]) {
      await writeFile(join(folder, 'api-secret'), `${own}\n`);
      assert.equal(await apiSecretOf(folder, undefined, systemRandom), own);
    }
    const none = await bootFailure({ settings: { api, dataDir: join(folder, 'api-secret', 'data') } });
    assert.match(none.message, /api\.secret: could not be read or made: ENOTDIR/);
    await rm(folder, { recursive: true });
  });

  it('names every problem it can find at once', async () => {
    const cycle = (name: string, uses: any, provides: any): Plugin =>
      definePlugin({
        name,
        api: '2.0',
        node: { uses: { a: uses }, provides: { b: provides }, setup: () => ({}) as never },
      });
    const One = token<object>('test/one');
    const Two = token<object>('test/two');
    const error = await bootFailure({
      plugins: [
        definePlugin({ name: 'lonely', api: '2.0', node: { uses: { greeter: Greeter }, setup: () => ({}) } }),
        cycle('hen', One, Two),
        cycle('egg', Two, One),
        definePlugin({
          name: 'taker',
          api: '2.0',
          node: {
            routes: {
              a: route('GET /things/:id', { auth: 'open' }),
              b: route('GET /things/:name', { auth: 'open' }),
              c: route('GET /health', { auth: 'open' }),
              d: stream('/ws/x', { auth: 'nobody', frame: Text, errors: ['nor_this'] }),
              e: route('GET /e', { auth: 'open', errors: ['never_heard'] }),
              f: route('GET /f', { auth: 'open', reply: typed({ type: 'nonsense' }) }),
              g: route('GET /g', { auth: 'open', idempotency: true }),
            },
            setup: () => ({}) as never,
          },
        }),
        definePlugin({
          name: 'fussy',
          api: '2.0',
          config: typed<{ key: string }>({
            type: 'object',
            required: ['key'],
            properties: { key: { type: 'string' } },
          }),
          node: { setup: () => ({}) },
        }),
        definePlugin({ name: 'plain', api: '2.0', node: { setup: () => ({}) } }),
        definePlugin({ name: 'old', api: '3.0', node: { setup: () => ({}) } }),
        definePlugin({ name: 'elsewhere', api: '2.0', aggregator: { setup: () => ({}) } }),
        definePlugin({ name: 'schemer', api: '2.0', schemas: [{ $id: 'other/x' }], node: { setup: () => ({}) } }),
      ],
      settings: {
        plugins: {
          lonely: {},
          hen: {},
          egg: {},
          taker: {},
          fussy: { key: 1, extra: 2 },
          plain: { unknown: true },
          old: {},
          elsewhere: {},
          schemer: {},
          missing: {},
          './nowhere.ts': {},
          'Not A Name': {},
        },
        core: { ghost: {} },
      },
    });
    const said = error.message;
    for (const expected of [
      /lonely: uses test\/greeter, which nobody provides/,
      /needs itself: hen -> egg -> hen/,
      /taker: GET \/things\/:name is already served by taker as GET \/things\/:id/,
      /taker: GET \/health is already served by operations/,
      /taker: WS \/ws\/x: there is no guard named nobody/,
      /taker: WS \/ws\/x: the error code nor_this is not declared/,
      /taker: GET \/e: the error code never_heard is not declared/,
      /taker: GET \/f: its reply cannot be used/,
      /taker: GET \/g: a GET changes nothing/,
      /fussy: its configuration is wrong: key must be a string/,
      /fussy: its configuration is wrong: extra is not a known field/,
      /plain: its configuration is wrong: unknown is not a known field/,
      /old: plugin_api_mismatch: it needs plugin API 3\.0, this node offers 2\.2; upgrade agent-mesh/,
      /elsewhere: it has nothing for the profile node/,
      /schemer: the \$id "other\/x" of a schema must begin with schemer\//,
      /missing: neither built in nor installed; run npm install missing/,
      /\.\/nowhere\.ts: there is no file/,
      /Not A Name: this is no name of a package/,
      /core\.ghost: the profile node has no part of that name/,
    ]) {
      assert.match(said, expected);
    }
    assert.equal(error.problems.length, 19);
  });

  it('names plugins that throw, hang or return too little in setup, and undoes what they opened', async () => {
    const undone: string[] = [];
    const error = await bootFailure({
      clock: impatient,
      plugins: [
        greeter,
        definePlugin({
          name: 'thrower',
          api: '2.0',
          node: {
            provides: { farewell: Farewell },
            setup(_, { defer }) {
              defer(() => undone.push('first'));
              defer(() => undone.push('second'));
              throw new Error('no such device');
            },
          },
        }),
        definePlugin({ name: 'dependent', api: '2.0', node: { uses: { farewell: Farewell }, setup: () => ({}) } }),
        definePlugin({ name: 'hanger', api: '2.0', node: { setup: () => new Promise<never>(() => {}) } }),
        definePlugin({
          name: 'lazy',
          api: '2.0',
          node: { routes: { a: route('GET /lazy', { auth: 'open' }) }, setup: () => ({ routes: {} }) as never },
        }),
        definePlugin({ name: 'eager', api: '2.0', node: { setup: () => ({ routes: { b() {} } }) as never } }),
      ],
    });
    assert.match(error.message, /thrower: setup failed: no such device/);
    assert.match(error.message, /dependent: it was not set up because what provides test\/farewell failed/);
    assert.match(error.message, /hanger: setup failed: it did not finish within 10 seconds/);
    assert.match(error.message, /lazy: setup failed: it declares routes a but setup returned none/);
    assert.match(error.message, /eager: setup failed: setup returned routes b, which it does not declare/);
    assert.deepEqual(undone, ['second', 'first']);
    assert.ok(error.report.plugins.some(({ name }) => name === 'greeter'));
  });

  it('says when its address is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const taken = (other.address() as AddressInfo).port;
    let closed = false;
    const plugin = definePlugin({
      name: 'tidy',
      api: '2.0',
      node: {
        setup: () => ({
          stop() {
            closed = true;
          },
        }),
      },
    });
    const error = await bootFailure({ plugins: [plugin], settings: { listen: `127.0.0.1:${taken}` } });
    assert.match(error.message, /listen: 127\.0\.0\.1:\d+ cannot be used: .*EADDRINUSE.*; stop what uses it/);
    assert.ok(closed);
    await new Promise((resolve) => other.close(resolve));
  });

  it('names a plugin that cannot get ready', async () => {
    const plugin = definePlugin({
      name: 'unready',
      api: '2.0',
      node: { setup: () => ({ ready: () => Promise.reject(new Error('the aggregator is away')) }) },
    });
    const error = await bootFailure({ plugins: [plugin] });
    const [{ where, what } = { where: '', what: '' }, ...more] = error.problems;
    assert.deepEqual([where, more], ['unready', []]);
    assert.match(what, /^getting ready failed: the aggregator is away at .*\/boot-problems\.test\.ts:\d+:\d+$/);
  });

  it('does not look for plugins in a file that is no configuration', async () => {
    const wrong = await bootFailure({ settings: { plugins: 'all', profile: 'hub' } });
    assert.deepEqual(
      wrong.problems.map(({ where }) => where),
      ['profile', 'plugins'],
    );
  });
});
