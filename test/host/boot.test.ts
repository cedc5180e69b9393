import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { definePlugin, optional, type Plugin, route, token, typed } from '../../core/plugin.ts';
import { EnvelopeHandlers } from '../../core/services.ts';
import { SECRET, type TestNode, type TestNodeOptions, testNode } from '../support/node.ts';

interface Greeter {
  greet(name: string): string;
}
const Greeter = token<Greeter>('test/greeter');
const Farewell = token<{ bye(): string }>('test/farewell');
const Text = typed<{ text: string }>({ type: 'object', required: ['text'], properties: { text: { type: 'string' } } });

describe('boot', () => {
  const running: TestNode[] = [];
  afterEach(async () => {
    for (const node of running.splice(0)) await node.stop();
  });
  async function boot(options: TestNodeOptions): Promise<TestNode> {
    const node = await testNode(options);
    running.push(node);
    return node;
  }

  const greeter = definePlugin({
    name: 'greeter',
    api: '1.0',
    node: {
      provides: { greeter: Greeter },
      setup: () => ({ provides: { greeter: { greet: (name) => `hello ${name}` } } }),
    },
  });
  const reader = definePlugin({
    name: 'a-reader',
    api: '1.0',
    node: {
      uses: { greeter: Greeter, farewell: optional(Farewell) },
      routes: { greet: route('GET /greet/:name', { auth: 'open', reply: Text }) },
      setup: ({ greeter, farewell }) => ({
        routes: { greet: ({ params }) => ({ text: greeter.greet(params.name) + (farewell?.bye() ?? '') }) },
      }),
    },
  });

  it('sets faces up after those whose services they use, whatever the order of the file', async () => {
    const node = await boot({ plugins: [reader, greeter] });
    const answer = await fetch(`${node.url}/greet/ann`);
    assert.deepEqual(await answer.json(), { text: 'hello ann' });
    assert.deepEqual(
      node.report.plugins.map(({ name }) => name),
      ['operations', 'greeter', 'a-reader'],
    );
    assert.equal(node.get(Greeter).greet('x'), 'hello x');
  });

  it('goes on without optional plugins that fail, and says so', async () => {
    const bad = definePlugin({
      name: 'bad',
      api: '1.0',
      node: {
        routes: { a: route('GET /bad', { auth: 'open' }) },
        setup() {
          throw new Error('no such device');
        },
      },
    });
    const taker = definePlugin({
      name: 'taker',
      api: '1.0',
      node: { routes: { a: route('GET /health', { auth: 'open' }) }, setup: () => ({ routes: { a() {} } }) },
    });
    const node = await boot({
      plugins: [bad, taker, greeter],
      settings: {
        plugins: { bad: { optional: true }, taker: { optional: true }, gone: { optional: true }, greeter: {} },
      },
    });
    assert.equal((await fetch(`${node.url}/bad`)).status, 404);
    const health = (await (await fetch(`${node.url}/health`)).json()) as any;
    assert.equal(health.status, 'degraded');
    assert.equal(health.plugins.greeter.state, 'ok');
    assert.match(health.plugins.bad.detail, /no such device/);
    assert.match(health.plugins.taker.detail, /already served by operations/);
    assert.match(health.plugins.gone.detail, /neither built in nor installed/);
    assert.deepEqual(
      node.report.plugins
        .filter(({ state }) => state === 'out')
        .map(({ name }) => name)
        .sort(),
      ['bad', 'gone', 'taker'],
    );
    const document = (await (await fetch(`${node.url}/openapi.json`)).json()) as any;
    assert.equal(document.paths['/bad'], undefined);
  });

  it('leaves out what is not enabled', async () => {
    const node = await boot({ plugins: [greeter], settings: { plugins: { greeter: { enabled: false } } } });
    assert.deepEqual(
      node.report.plugins.map(({ name }) => name),
      ['operations'],
    );
  });

  it('hands envelopes to every face that asked, and survives those that throw', async () => {
    const got: string[] = [];
    const handler = (name: string, fail = false): Plugin =>
      definePlugin({
        name,
        api: '1.0',
        node: {
          setup: () => ({
            envelopes: {
              VERDICT(envelope) {
                got.push(`${name} ${envelope.id}`);
                if (fail) throw new Error('no');
              },
            },
          }),
        },
      });
    const node = await boot({ plugins: [handler('one', true), handler('two')] });
    const handlers = node.get(EnvelopeHandlers);
    assert.deepEqual(handlers.types(), ['VERDICT']);
    await handlers.deliver('VERDICT', { id: 'e1' });
    await handlers.deliver('BEACON', { id: 'e2' });
    assert.deepEqual(got, ['one e1', 'two e1']);
  });

  it('shows optional plugins that are not ready or cannot tell as degraded', async () => {
    const late = definePlugin({
      name: 'late',
      api: '1.0',
      node: { setup: () => ({ ready: () => Promise.reject(new Error('the aggregator is away')) }) },
    });
    const moody = definePlugin({
      name: 'moody',
      api: '1.0',
      node: {
        setup: () => ({
          health() {
            throw new Error('leave me alone');
          },
        }),
      },
    });
    const node = await boot({ plugins: [late, moody], settings: { plugins: { late: { optional: true }, moody: {} } } });
    const { plugins } = (await (await fetch(`${node.url}/ready`)).json()) as any;
    assert.deepEqual(plugins.late, { state: 'degraded', detail: 'getting ready failed: the aggregator is away' });
    assert.equal(plugins.moody.state, 'degraded');
  });

  it('makes a secret of its own when none is given, kept for the next start', async () => {
    let folder = '';
    const plugin = definePlugin({
      name: 'paths',
      api: '1.0',
      node: {
        setup: (_, context) => ({
          async ready() {
            folder = await context.folder();
            assert.match(context.url(), /^http:\/\/127\.0\.0\.1:\d+$/);
            assert.throws(() => context.space, /this node has no store/);
          },
        }),
      },
    });
    const node = await boot({ plugins: [plugin], settings: { api: { secret: undefined } } });
    assert.match(node.apiSecret, /^agent-mesh-secret-[\w-]{43}-[0-9a-f]{8}$/);
    const mode = (await stat(`${node.folder}/data/api-secret`)).mode & 0o777;
    assert.equal(mode, 0o600);
    assert.equal(folder, `${node.folder}/data/plugins/paths`);
    assert.notEqual(node.apiSecret, SECRET);
  });
});
