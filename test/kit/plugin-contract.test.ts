import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { adapters } from '../../adapters/index.ts';
import { testAgent, testNode } from '../../adapters/testing.ts';
import {
  answer,
  definePlugin,
  events,
  files,
  MeshError,
  route,
  stream,
  type Token,
  token,
  typed,
} from '../../core/plugin.ts';
import { value } from '../../core/provider.ts';
import { pluginChecks } from '../../core/testing/plugin-contract.ts';
import type { Findings, PluginTrialOptions } from '../../core/testing/plugin-trial.ts';

interface Oracle {
  ask(): string;
}
const Oracle: Token<Oracle> = token<Oracle>('acme/oracle');
const parts = { adapters, plugins: {} };
const text = typed<string>({ type: 'string' });
const nothing = { setup: () => ({}) };

async function check(plugin: any, name: string, options: PluginTrialOptions = {}): Promise<Findings> {
  const found = pluginChecks(parts, plugin, options).find((one) => one.name.startsWith(name));
  assert.ok(found, `there is no check ${name}`);
  return found.run();
}

/** A plugin with one endpoint that answers as it is told. */
function serving(endpoint: any, handler: any, more: object = {}) {
  return {
    name: 'bad',
    api: '2.0',
    node: { routes: { it: endpoint }, setup: () => ({ routes: { it: handler } }), ...more },
  };
}

describe('the plugin contract', () => {
  const SHAPES: [plugin: unknown, said: RegExp][] = [
    [undefined, /no object made by definePlugin/],
    [{ name: 'Bad Name', api: '2.0', node: nothing }, /"Bad Name" must be kebab-case/],
    [{ name: 'bad', api: '9.0', node: nothing }, /plugin_api_mismatch/],
    [{ name: 'bad', api: '2.0' }, /neither a node nor an aggregator face/],
    [{ name: 'bad', api: '2.0', node: {} }, /node face has no setup function/],
    [{ name: 'bad', api: '2.0', nodes: nothing, node: nothing }, /no member nodes; did you mean node\?/],
    [{ name: 'bad', api: '2.0', node: { ...nothing, route: {} } }, /its node face has no member route/],
  ];
  for (const [plugin, said] of SHAPES) {
    it(`refuses what is no plugin: ${said.source}`, async () => {
      assert.match((await check(plugin, 'is a plugin')).problems.join('\n'), said);
    });
  }

  it('listens to events and asks for folders of files, with the headers they need', async () => {
    const required = typed<string>({ type: 'string', examples: ['one'] });
    const endpoint = events('/bad/live', { auth: 'api', headers: { 'x-tenant': { required } }, frame: text });
    const good = serving(endpoint, async function* ({ headers }: any) {
      yield headers['x-tenant'];
    });
    const bad = serving(endpoint, async function* () {
      yield 7;
    });
    assert.deepEqual(await check(good, 'answers and streams'), { problems: [], notes: [] });
    assert.match((await check(bad, 'answers and streams')).problems.join('\n'), /GET \/bad\/live the events .*1011/);
    assert.deepEqual((await check(good, 'answers 401')).problems, []);
    const folder = new URL('../support/', import.meta.url);
    const site = {
      name: 'bad',
      api: '2.0',
      node: { routes: { it: files('/bad', { auth: 'api', folder }) }, ...nothing },
    };
    assert.deepEqual((await check(site, 'answers 401')).problems, []);
    assert.match((await check(site, 'answers and streams')).notes!.join('\n'), /GET \/bad\/\*path answered 404/);
  });

  it('calls routes behind the agent guard as an agent that signs', async () => {
    const Body = typed<{ note: string }>({
      type: 'object',
      required: ['note'],
      properties: { note: { type: 'string', examples: ['hello'] } },
    });
    const endpoint = route('POST /bad', { auth: 'agent', body: Body, reply: text });
    const good = serving(endpoint, ({ body, principal }: any) => `${principal.id} says ${body.note}`);
    const bad = serving(endpoint, () => 7);
    assert.deepEqual(await check(good, 'answers and streams'), { problems: [], notes: [] });
    assert.match((await check(bad, 'answers and streams')).problems.join('\n'), /the reply breaks its contract/);
    assert.deepEqual((await check(good, 'answers 401')).problems, []);
    const node = await testNode(good as never);
    const agent = testAgent();
    const called = await node.call('POST /bad', { body: { note: 'hello' }, auth: agent.sign });
    assert.deepEqual([called.status, called.body], [200, `${agent.id} says hello`]);
    assert.equal((await node.call('POST /bad', { body: { note: 'hello' } })).status, 401);
    await node.stop();
  });

  it('names what a node would refuse to load', async () => {
    const plugin = serving(route('GET /bad', { auth: 'nobody', reply: text }), () => 'x', { uses: { oracle: Oracle } });
    const { problems } = await check(plugin, 'declares');
    assert.match(problems.join('\n'), /GET \/bad: there is no guard named nobody/);
    assert.match(problems.join('\n'), /uses acme\/oracle, which nobody provides/);
  });

  it('says with a refusal what helps', async () => {
    const ear = { name: 'bad', api: '2.0', node: { envelopes: { MESSAGE: true }, ...nothing } };
    assert.match(
      (await check(ear, 'declares')).problems.join('\n'),
      /; its author adds permissions: \['messages:read'\]/,
    );
    const shop = serving(route('GET /bad', { auth: 'open', reply: text, errors: ['no_price'] }), () => 'x', {});
    const { problems } = await check({ ...shop, errors: { no_prize: [402, 'Pay first.'] } }, 'declares');
    assert.match(
      problems.join('\n'),
      /error code no_price is not declared; did you mean no_prize\?; write it under errors/,
    );
  });

  it('takes every status that a route declares for an answer, and asks for an example of any other refusal', async () => {
    const spec = { auth: 'open', headers: { 'x-payment': text }, reply: text } as const;
    const unpaid = () => answer('pay first', { status: 402 });
    const declared = serving(route('GET /bad', { ...spec, statuses: [402] }), unpaid);
    assert.deepEqual(await check(declared, 'answers and streams'), { problems: [], notes: [] });
    const undeclared = await check(serving(route('GET /bad', spec), unpaid), 'answers and streams');
    assert.match(undeclared.problems.join('\n'), /GET \/bad.* answers 500 internal/);
    const refuse = () => {
      throw new MeshError('insufficient_funds');
    };
    const refusing = route('GET /bad', { ...spec, errors: ['insufficient_funds'] });
    const { notes = [] } = await check(serving(refusing, refuse), 'answers and streams');
    assert.match(
      notes.join('\n'),
      /GET \/bad answered 402 .*pluginContract\(plugin, \{ examples: \{ it: \{ … \} \} \}\) gives/,
    );
    const paid = { examples: { it: { headers: { 'x-payment': 'paid' } } } };
    const selling = serving(refusing, ({ headers }: any) => (headers['x-payment'] ? 'sold' : refuse()));
    assert.deepEqual(await check(selling, 'answers and streams', paid), { problems: [], notes: [] });
  });

  const SCHEMAS: [what: string, schema: object, config: object | undefined, said: RegExp][] = [
    ['cannot be compiled', { type: 'objekt' }, {}, /its configuration schema cannot be used/],
    [
      'refuses what was given',
      { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      {},
      /refuses \{\}: .*give another one/,
    ],
    [
      'is in order',
      { type: 'object', additionalProperties: false, required: ['a'], properties: { a: { type: 'string' } } },
      undefined,
      /^$/,
    ],
  ];
  for (const [what, schema, config, said] of SCHEMAS) {
    it(`looks at a configuration schema that ${what}`, async () => {
      const plugin = { name: 'bad', api: '2.0', config: typed(schema), node: nothing };
      const { problems } = await check(plugin, 'refuses the configurations', config ? { config } : {});
      assert.match(problems.join('\n'), said);
    });
  }

  it('notes a configuration schema that lets misspelt members pass', async () => {
    const plugin = { name: 'bad', api: '2.0', config: typed({ type: 'object' }), node: nothing };
    const { problems, notes } = await check(plugin, 'refuses the configurations');
    assert.deepEqual([problems, notes?.length], [[], 1]);
  });

  it('finds a timer that outlives the node', async () => {
    const timers: NodeJS.Timeout[] = [];
    const setup = () => {
      timers.push(setInterval(() => {}, 60_000));
      return {};
    };
    try {
      const { problems } = await check({ name: 'bad', api: '2.0', node: { setup } }, 'starts, stops');
      assert.match(problems.join('\n'), /there is still open: Timeout; defer its closing/);
    } finally {
      timers.forEach(clearInterval);
    }
  });

  it('reports what failed at stop', async () => {
    const stop = () => {
      throw new Error('stuck');
    };
    const { problems } = await check({ name: 'bad', api: '2.0', node: { setup: () => ({ stop }) } }, 'starts, stops');
    assert.match(problems.join('\n'), /^bad: stop failed: stuck at .*\/plugin-contract\.test\.ts:\d+:\d+$/);
  });

  it('finds connections made before the node is ready, and allows them in ready', async () => {
    const reach = () =>
      new Promise<void>((resolve) =>
        connect(9, '127.0.0.1')
          .on('error', () => resolve())
          .on('connect', () => resolve()),
      );
    const early = { setup: () => reach().then(() => ({})) };
    const web = {
      setup: () =>
        fetch('http://api.example.org/').then(
          () => ({}),
          () => ({}),
        ),
    };
    const late = { setup: () => ({ ready: reach }) };
    const said = async (node: object) =>
      (await check({ name: 'bad', api: '2.0', node }, 'connects to nobody')).problems;
    assert.deepEqual(await said(early), ['before ready it connects to 127.0.0.1:9']);
    assert.deepEqual(await said(web), ['before ready it connects to api.example.org:80']);
    assert.deepEqual(await said(late), []);
  });

  it('finds a guard that lets strangers in, on routes and streams', async () => {
    const guards = { lax: { summary: 'Everyone.', scheme: { type: 'http', scheme: 'bearer' } } };
    const plugin = {
      name: 'bad',
      api: '2.0',
      node: {
        guards,
        routes: {
          get: route('GET /bad', { auth: 'lax', reply: text }),
          watch: stream('/ws/bad', { auth: 'lax', frame: text }),
          good: stream('/ws/good', { auth: 'api', frame: text }),
        },
        setup: () => ({
          guards: { lax: () => ({ kind: 'anyone', id: '' }) },
          routes: { get: () => 'x', async *watch() {}, async *good() {} },
        }),
      },
    };
    const { problems } = await check(plugin, 'answers 401');
    assert.deepEqual(problems, [
      'GET /bad answers 200 without credentials; it should be 401',
      'WS /ws/bad answers 101 without credentials; it should be 401',
    ]);
  });

  it('finds replies and frames that break their contract, and handlers that throw', async () => {
    const reply = await check(
      serving(route('GET /bad', { auth: 'api', reply: text }), () => 7),
      'answers and streams',
    );
    assert.match(reply.problems.join('\n'), /^GET \/bad answers 500 internal: /);
    const frame = await check(
      serving(stream('/ws/bad', { auth: 'api', frame: text }), async function* () {
        yield 7;
      }),
      'answers and streams',
    );
    assert.match(frame.problems.join('\n'), /\/ws\/bad .*1011.*a frame breaks its contract/);
  });

  it('does not judge what needs another machine, or was not called', async () => {
    const away = route('POST /bad', { auth: 'api', body: typed({ type: 'object' }), reply: text });
    const asking = await check(
      serving(away, () => fetch('http://api.example.org/').then((r) => r.text())),
      'answers and',
    );
    assert.deepEqual(asking.problems, []);
    assert.match(asking.notes!.join('\n'), /POST \/bad could not be judged without api.example.org:80/);
  });

  it('passes a plugin that uses a service handed in, which a test node can call', async () => {
    const seer = definePlugin({
      name: 'seer',
      api: '2.0',
      node: {
        uses: { oracle: Oracle },
        routes: { ask: route('GET /seer', { auth: 'api-read', reply: typed<{ says: string }>({ type: 'object' }) }) },
        setup: ({ oracle }) => ({ routes: { ask: () => ({ says: oracle.ask() }) } }),
      },
    });
    const options = { services: [value(Oracle, { ask: () => 'perhaps' })] };
    for (const { name, run } of pluginChecks(parts, seer, options)) assert.deepEqual((await run()).problems, [], name);
    const node = await testNode(seer, options);
    assert.deepEqual((await node.call('GET /seer')).body, { says: 'perhaps' });
    assert.equal((await node.call('GET /seer', { auth: false })).status, 401);
    assert.deepEqual(await node.stop(), []);
  });
});
