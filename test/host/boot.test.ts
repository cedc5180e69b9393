import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { BootError, port, value } from '../../core/node.ts';
import { definePlugin, optional, type Plugin, route, stream, token, typed } from '../../core/plugin.ts';
import { Clock, EnvelopeHandlers } from '../../core/ports.ts';
import { systemClock } from '../../core/system-clock.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET, type TestNode, type TestNodeOptions, testNode } from '../support/node.ts';
import { watch } from '../support/sockets.ts';

interface Greeter {
  greet(name: string): string;
}
const Greeter = token<Greeter>('test/greeter');
const Farewell = token<{ bye(): string }>('test/farewell');
const Text = typed<{ text: string }>({ type: 'object', required: ['text'], properties: { text: { type: 'string' } } });

/** A clock whose waits of setup and undo pass in milliseconds. */
const impatient = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 100, run) };

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
  async function failure(options: TestNodeOptions): Promise<BootError> {
    const error = await testNode(options).then(
      async (node) => {
        await node.stop();
        throw new Error('it booted');
      },
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof BootError, String(error));
    return error;
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

  it('names every problem it can find at once', async () => {
    const cycle = (name: string, uses: any, provides: any): Plugin =>
      definePlugin({
        name,
        api: '1.0',
        node: { uses: { a: uses }, provides: { b: provides }, setup: () => ({}) as never },
      });
    const One = token<object>('test/one');
    const Two = token<object>('test/two');
    const error = await failure({
      plugins: [
        definePlugin({ name: 'lonely', api: '1.0', node: { uses: { greeter: Greeter }, setup: () => ({}) } }),
        cycle('hen', One, Two),
        cycle('egg', Two, One),
        definePlugin({
          name: 'taker',
          api: '1.0',
          node: {
            routes: {
              a: route('GET /things/:id', { auth: 'open' }),
              b: route('GET /things/:name', { auth: 'open' }),
              c: route('GET /health', { auth: 'open' }),
              d: stream('/ws/x', { auth: 'nobody', frame: Text }),
              e: route('GET /e', { auth: 'open', errors: ['never_heard'] }),
              f: route('GET /f', { auth: 'open', reply: typed({ type: 'nonsense' }) }),
              g: route('GET /g', { auth: 'open', idempotency: true }),
            },
            setup: () => ({}) as never,
          },
        }),
        definePlugin({
          name: 'fussy',
          api: '1.0',
          config: typed<{ key: string }>({
            type: 'object',
            required: ['key'],
            additionalProperties: false,
            properties: { key: { type: 'string' } },
          }),
          node: { setup: () => ({}) },
        }),
        definePlugin({ name: 'plain', api: '1.0', node: { setup: () => ({}) } }),
        definePlugin({ name: 'old', api: '2.0', node: { setup: () => ({}) } }),
        definePlugin({ name: 'elsewhere', api: '1.0', aggregator: { setup: () => ({}) } }),
        definePlugin({ name: 'schemer', api: '1.0', schemas: [{ $id: 'other/x' }], node: { setup: () => ({}) } }),
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
      /taker: GET \/e: the error code never_heard is not declared/,
      /taker: GET \/f: its reply cannot be used/,
      /taker: GET \/g: a GET changes nothing/,
      /fussy: its configuration is wrong: key must be a string/,
      /fussy: its configuration is wrong: extra is not a known field/,
      /plain: its configuration is wrong: unknown is not a known field/,
      /old: plugin_api_mismatch: it needs plugin API 2\.0, this node offers 1\.0; upgrade agent-mesh/,
      /elsewhere: it has nothing for the profile node/,
      /schemer: the \$id "other\/x" of a schema must begin with schemer\//,
      /missing: neither built in nor installed; run npm install missing/,
      /\.\/nowhere\.ts: there is no file/,
      /Not A Name: this is no name of a package/,
      /core\.ghost: the profile node has no part of that name/,
    ]) {
      assert.match(said, expected);
    }
    assert.equal(error.problems.length, 18);
  });

  it('names plugins that throw, hang or return too little in setup, and undoes what they opened', async () => {
    const undone: string[] = [];
    const error = await failure({
      clock: impatient,
      plugins: [
        greeter,
        definePlugin({
          name: 'thrower',
          api: '1.0',
          node: {
            provides: { farewell: Farewell },
            setup(_, { defer }) {
              defer(() => undone.push('first'));
              defer(() => undone.push('second'));
              throw new Error('no such device');
            },
          },
        }),
        definePlugin({ name: 'dependent', api: '1.0', node: { uses: { farewell: Farewell }, setup: () => ({}) } }),
        definePlugin({ name: 'hanger', api: '1.0', node: { setup: () => new Promise<never>(() => {}) } }),
        definePlugin({
          name: 'lazy',
          api: '1.0',
          node: { routes: { a: route('GET /lazy', { auth: 'open' }) }, setup: () => ({ routes: {} }) as never },
        }),
        definePlugin({ name: 'eager', api: '1.0', node: { setup: () => ({ routes: { b() {} } }) as never } }),
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

  it('opens ports by their needs, closes them last, and names those that fail', async () => {
    const events: string[] = [];
    const Disk = token<string>('test/disk');
    const Cache = token<string>('test/cache');
    const ports = [
      port(Cache, {
        uses: { disk: Disk, farewell: optional(Farewell) },
        open({ disk, farewell }, { defer, note }) {
          events.push(`cache on ${disk} ${farewell}`);
          note('the cache is warm');
          defer(() => events.push('cache closed'));
          return 'cache';
        },
      }),
      port(Disk, {
        async open(_, { defer }) {
          events.push('disk');
          defer(() => events.push('disk closed'));
          return 'disk';
        },
      }),
    ];
    const user = definePlugin({
      name: 'user',
      api: '1.0',
      node: {
        uses: { cache: Cache },
        setup: ({ cache }, { defer, signal }) => {
          events.push(`face on ${cache}`);
          defer(() => events.push(`face closed ${signal.aborted}`));
          return {
            ready: () => void events.push('face ready'),
            stop: () => void events.push('face stopped'),
          };
        },
      },
    });
    const node = await testNode({ ports, plugins: [user] });
    assert.deepEqual(node.report.notes, ['the cache is warm']);
    assert.deepEqual(await node.stop(), []);
    assert.deepEqual(events, [
      'disk',
      'cache on disk undefined',
      'face on cache',
      'face ready',
      'face stopped',
      'face closed true',
      'cache closed',
      'disk closed',
    ]);
    const replaced = await testNode({ ports: [...ports, value(Disk, 'floppy')], plugins: [user] });
    assert.ok(events.includes('cache on floppy undefined'));
    await replaced.stop();

    const broken = port(Disk, {
      open() {
        throw new Error('it is full; delete something');
      },
    });
    const error = await failure({ ports: [...ports, broken], plugins: [user] });
    assert.deepEqual(error.problems, [
      { where: 'test/disk', what: 'could not be opened: it is full; delete something' },
    ]);
    const missing = await failure({ ports: ports.slice(0, 1), plugins: [user] });
    assert.match(missing.message, /test\/cache: uses test\/disk, which nobody provides/);
    const twice = await failure({ ports: [value(Clock, systemClock)] });
    assert.match(twice.message, /clock: provides clock, which core provides already/);
  });

  it('stops faces in reverse order, reports what fails, and does not wait for ever', async () => {
    const events: string[] = [];
    const face = (name: string, stop: () => unknown): Plugin =>
      definePlugin({
        name,
        api: '1.0',
        node: {
          setup: (_, { defer }) => {
            defer(() => events.push(`${name} closed`));
            return { stop: stop as () => void };
          },
        },
      });
    const node = await testNode({
      clock: impatient,
      plugins: [
        face('one', () => events.push('one stopped')),
        face('two', () => new Promise(() => {})),
        face('three', () => {
          throw new Error('stuck');
        }),
      ],
    });
    const problems = await node.stop();
    assert.deepEqual(events, ['three closed', 'two closed', 'one stopped', 'one closed']);
    assert.deepEqual(problems, [
      { where: 'three', what: 'stop failed: stuck' },
      { where: 'two', what: 'stop failed: it did not finish within 5 seconds' },
    ]);
  });

  it('stops what runs: jobs, calls and sockets, and a second stop waits for the first', async () => {
    const events: string[] = [];
    let waiting = false;
    const busy = definePlugin({
      name: 'busy',
      api: '1.0',
      node: {
        routes: {
          wait: route('GET /wait', { auth: 'open', reply: Text }),
          watch: stream('/ws/watch', { auth: 'open', frame: Text }),
        },
        setup: () => ({
          routes: {
            async wait({ signal }) {
              waiting = true;
              await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
              return { text: 'told' };
            },
            async *watch({ signal }) {
              yield { text: 'hello' };
              await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
              events.push('stream ended');
            },
          },
          jobs: [
            {
              name: 'work',
              every: 5,
              run: (signal) =>
                new Promise((resolve) => {
                  if (events.length === 0) events.push('job began');
                  signal.addEventListener('abort', () => {
                    events.push('job ended');
                    resolve();
                  });
                }),
            },
          ],
        }),
      },
    });
    const node = await testNode({ plugins: [busy], grace: 100 });
    const socket = watch(`${node.url}/ws/watch`);
    await socket.until(1);
    const call = fetch(`${node.url}/wait`);
    await eventually(() => waiting && events.length === 1);
    const began = performance.now();
    const [first, second] = await Promise.all([node.stop(), node.stop()]);
    assert.equal(first, second);
    assert.ok(performance.now() - began < 4_000);
    assert.equal((await socket.closed).code, 1001);
    assert.deepEqual(await (await call).json(), { text: 'told' });
    assert.deepEqual(events, ['job began', 'job ended', 'stream ended']);
    await assert.rejects(fetch(`${node.url}/health`));
  });

  it('runs jobs without overlap, counts failures, and shows them as degraded', async () => {
    let runs = 0;
    let open = 0;
    let most = 0;
    let failing = true;
    const worker = definePlugin({
      name: 'worker',
      api: '1.0',
      node: {
        setup: () => ({
          jobs: [
            {
              name: 'tick',
              every: 2,
              first: 0,
              async run() {
                most = Math.max(most, ++open);
                await new Promise((resolve) => setTimeout(resolve, 10));
                open -= 1;
                runs += 1;
                if (failing) throw new Error('upstream is away');
              },
            },
          ],
        }),
      },
    });
    const node = await boot({ plugins: [worker] });
    const health = async () => ((await (await fetch(`${node.url}/health`)).json()) as any).plugins.worker;
    await eventually(() => runs >= 3);
    assert.deepEqual(await health(), { state: 'degraded', detail: 'the job tick failed' });
    failing = false;
    await eventually(() => runs >= 6);
    assert.deepEqual(await health(), { state: 'ok' });
    assert.equal(most, 1);
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    assert.match(metrics, /mesh_job_runs_total\{plugin="worker",job="tick",result="failed"\} \d/);
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

  it('says when its address is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const taken = (other.address() as AddressInfo).port;
    let closed = false;
    const plugin = definePlugin({
      name: 'tidy',
      api: '1.0',
      node: {
        setup: () => ({
          stop() {
            closed = true;
          },
        }),
      },
    });
    const error = await failure({ plugins: [plugin], settings: { listen: `127.0.0.1:${taken}` } });
    assert.match(error.message, /listen: 127\.0\.0\.1:\d+ cannot be used: .*EADDRINUSE.*; stop what uses it/);
    assert.ok(closed);
    await new Promise((resolve) => other.close(resolve));
  });

  it('names a plugin that cannot get ready', async () => {
    const plugin = definePlugin({
      name: 'unready',
      api: '1.0',
      node: { setup: () => ({ ready: () => Promise.reject(new Error('the aggregator is away')) }) },
    });
    const error = await failure({ plugins: [plugin] });
    assert.deepEqual(error.problems, [{ where: 'unready', what: 'getting ready failed: the aggregator is away' }]);
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

  it('does not look for plugins in a file that is no configuration', async () => {
    const wrong = await failure({ settings: { plugins: 'all', profile: 'hub' } });
    assert.deepEqual(
      wrong.problems.map(({ where }) => where),
      ['profile', 'plugins'],
    );
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
    assert.match(node.apiSecret, /^[\w-]{43}$/);
    const mode = (await stat(`${node.folder}/data/api-secret`)).mode & 0o777;
    assert.equal(mode, 0o600);
    assert.equal(folder, `${node.folder}/data/plugins/paths`);
    assert.notEqual(node.apiSecret, SECRET);
  });
});
