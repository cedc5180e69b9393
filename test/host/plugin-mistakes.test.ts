import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import WebSocket from 'ws';
import { bootNode, type RunningNode } from '../../core/host/boot/boot-node.ts';
import { EnvelopeHandlers } from '../../core/internal-services.ts';
import type { ReceivedEnvelope } from '../../core/messaging/received-envelope.ts';
import type { Log } from '../../core/platform/log.ts';
import { silentLog } from '../../core/platform/log.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { mesh } from '../cli/terminal.ts';

const door = (name: string) => JSON.stringify(pathToFileURL(join(packageRoot, `core/${name}.ts`)).href);
const HEAD = `import { definePlugin, events, route, socket, stream, typed } from ${door('plugin')};
import { Clock, Metrics } from ${door('services')};
const Text = typed({ type: 'string' });
`;
/** Its lines are those of the file. */
const hello = ({
  plugin = '',
  face = '',
  routes = "hello: route('GET /hello', { auth: 'open', reply: Text }),",
  setup = "() => ({ routes: { hello: () => 'hi' } })",
} = {}) => `${HEAD}export default definePlugin({
  name: 'hello', api: '2.0', ${plugin}
  node: { ${face}
    routes: { ${routes} },
    setup: ${setup},
  },
});
`;
const plain = (setup: string) => hello({ routes: '', setup });

describe('the mistakes of a plugin', () => {
  let root = '';
  let folder = '';
  let count = 0;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mesh-mistakes-'));
    await mkdir(join(root, 'node_modules'));
    await symlink(packageRoot, join(root, 'node_modules/agent-mesh'));
    await writeFile(join(root, 'package.json'), '{ "type": "module" }');
  });
  after(() => rm(root, { recursive: true }));

  /** In a folder of its own, as a file is imported once. */
  async function written(source: string): Promise<string> {
    folder = join(root, String(count++));
    await mkdir(folder);
    await writeFile(join(folder, 'hello.js'), source);
    await writeFile(
      join(folder, 'plugins.json'),
      JSON.stringify({ listen: '127.0.0.1:0', storage: { use: 'memory' }, plugins: { './hello.js': {} } }),
    );
    return join(folder, 'plugins.json');
  }
  const here = (text: string) => text.replaceAll(folder, '<folder>').replaceAll('/private', '');

  const REFUSED: [what: string, source: string, said: RegExp][] = [
    [
      'a misspelt member',
      hello({ plugin: 'permisions: [],' }),
      /no member permisions at <folder>\/hello\.js:5:30; did you mean permissions\?/,
    ],
    [
      'a misspelt member of a face',
      hello({ face: 'use: { clock: Clock },' }),
      /its node face has no member use at <folder>\/hello\.js:6:11; did you mean uses\?/,
    ],
    [
      'a misspelt member of a route',
      hello({ routes: "hello: route('GET /hello', { auth: 'open', replay: Text })," }),
      /the route hello has no member replay at <folder>\/hello\.js:7:58; did you mean reply\?/,
    ],
    [
      'a route that is no route',
      hello({ routes: "hello: 'GET /hello'," }),
      /its route hello is made by none of route, stream, events, .*hello\.js:7:15; write hello: route\('GET \/hello'/,
    ],
    [
      'a route without a blank',
      hello({ routes: "hello: route('GET/hello', { auth: 'open' })," }),
      /its route hello is made by none of/,
    ],
    [
      'a path without a slash',
      hello({ routes: "hello: route('GET hello', { auth: 'open' })," }),
      /GET hello: this is no path; it begins with \/ and a parameter is a whole segment, as in \/hello\/:name at .*hello\.js:7:29/,
    ],
    [
      'a reply without typed',
      hello({ routes: "hello: route('GET /hello', { auth: 'open', reply: { type: 'string' } })," }),
      /hello: GET \/hello: its reply is not made by typed at <folder>\/hello\.js:7:29; write reply: typed\(\{ … \}\)/,
    ],
    [
      'a header without typed',
      hello({
        routes: "hello: route('GET /hello', { auth: 'open', headers: { 'x-a': { required: { type: 'string' } } } }),",
      }),
      /GET \/hello: its header x-a is not made by typed at .*hello\.js:7:29; write 'x-a': typed\(/,
    ],
    [
      'a stream without a frame',
      hello({ routes: "hello: stream('/ws/hello', { auth: 'open' })," }),
      /the stream hello has no frame at <folder>\/hello\.js:7:30; write frame: typed\(/,
    ],
    [
      'a parameter that its path does not have',
      hello({ routes: "hello: route('GET /hello/:name', { auth: 'open', params: { nmae: Text } })," }),
      /GET \/hello\/:name: its path has no parameter nmae; did you mean name\? at <folder>\/hello\.js:7:29/,
    ],
    [
      'error codes of a route that are no list',
      hello({ routes: "hello: route('GET /hello', { auth: 'open', errors: 'not_found' })," }),
      /the route hello has errors that are no list at .*hello\.js:7:58; write errors: \['not_found'\]/,
    ],
    [
      'a method that there is not',
      hello({ routes: "hello: route('FETCH /hello', { auth: 'open' })," }),
      /the method FETCH; there are GET, POST/,
    ],
    [
      'a guard that there is not',
      hello({ routes: "hello: route('GET /hello', { auth: 'opne' })," }),
      /no guard named opne; did you mean open\? at <folder>\/hello\.js:7:29/,
    ],
    [
      'permissions that are no list',
      hello({ plugin: "permissions: 'blobs'," }),
      /its permissions must be a list at .*; write permissions: \['messages:send'\]/,
    ],
    [
      'a permission that there is not',
      hello({ plugin: "permissions: ['message:send']," }),
      /there is no permission message:send; did you mean messages:send\?/,
    ],
    [
      'a configuration without typed',
      hello({ plugin: "config: { type: 'object' }," }),
      /its config is not made by typed at .*hello\.js:5:30; write config: typed\(/,
    ],
    [
      'an error without a status',
      hello({ plugin: "errors: { full: 'It is full.' }," }),
      /its error full needs a status from 400 to 599 and a sentence at .*; write full: \[409, /,
    ],
    [
      'a service that is undefined',
      hello({ face: 'uses: { clock: undefined },' }),
      /its node face uses clock, which is no token at .*; import a token of agent-mesh\/services/,
    ],
    [
      'a face that is no object',
      `${HEAD}export default { name: 'hello', api: '2.0', node: 7 };`,
      /its node face must be an object with a setup function at .*hello\.js:4:45/,
    ],
    [
      'a face without setup',
      `${HEAD}export default { name: 'hello', api: '2.0', node: {} };`,
      /its node face has no setup function at .*; write setup\(services, context\)/,
    ],
    [
      'no default export',
      `${HEAD}export const plugin = 1;`,
      /it has no default export made by definePlugin; write export default definePlugin\(/,
    ],
    [
      'a name that the contract does not export',
      "import { definePlugn } from 'agent-mesh/plugin';\nexport default definePlugn({});",
      /agent-mesh\/plugin exports no definePlugn at <folder>\/hello\.js:1:10; did you mean definePlugin\?/,
    ],
    [
      'a service that contract 2 took away',
      "import { Store } from 'agent-mesh/ports';\nexport default {};",
      /agent-mesh\/ports exports no Store at <folder>\/hello\.js:1:10; docs\/services\.md lists what is offered/,
    ],
    [
      'an import of a module that is not offered',
      "import 'agent-mesh/dist/core/index.js';\nexport default {};",
      /nothing to import at dist\/core\/index\.js of that package, at <folder>\/hello\.js:1:\d+; agent-mesh\/plugin, /,
    ],
    ['an error at import', "\n\nthrow new Error('no device');", /\.\/hello\.js: no device at <folder>\/hello\.js:3:7/],
  ];
  for (const [what, source, said] of REFUSED) {
    it(`${what} is refused before anything starts`, async () => {
      const { code, error } = await mesh(['check', '--config', await written(source)]);
      assert.equal(code, 1, error);
      assert.match(here(error), said);
    });
  }

  const SETUPS: [what: string, setup: string, said: RegExp][] = [
    ['throws', "() => { throw new Error('no device'); }", /setup failed: no device at <folder>\/hello\.js:8:26/],
    [
      'returns nothing',
      '() => {}',
      /setup returned nothing and no face at <folder>\/hello\.js:8:5; return an object such as \{ routes/,
    ],
    ['returns a list', '() => []', /setup returned a list and no face/],
    [
      'returns a misspelt member',
      '() => ({ job: [] })',
      /the face that setup returned has no member job at <folder>\/hello\.js:8:21; did you mean jobs\?/,
    ],
    [
      'returns a health that is no function',
      "() => ({ health: { state: 'ok' } })",
      /setup returned an object as health at .*; write health\(\) \{/,
    ],
    ['returns a ready that is no function', '() => ({ ready: true })', /setup returned a boolean as ready/],
    ['returns a stop that is no function', "() => ({ stop: 'now' })", /setup returned a string as stop/],
    [
      'returns a precondition of no route',
      '() => ({ preconditions: { greet() {} } })',
      /setup returned a precondition greet, and there is no such route/,
    ],
    [
      'returns jobs that are no list',
      '() => ({ jobs: { run() {} } })',
      /setup returned an object as jobs at .*; write jobs: \[/,
    ],
    [
      'returns a job without run',
      "() => ({ jobs: [{ name: 'tidy', every: 1000 }] })",
      /the job tidy has no run at .*; write run:/,
    ],
    [
      'returns a job without every',
      "() => ({ jobs: [{ name: 'tidy', run() {} }] })",
      /the job tidy says every: undefined at .*; write the milliseconds/,
    ],
    ['returns a job without a name', '() => ({ jobs: [{ every: 1, run() {} }] })', /a job has no name/],
    [
      'binds a handler of envelopes that it does not declare',
      '() => ({ envelopes: { PROPOSE() {} } })',
      /setup returned envelopes PROPOSE, which it does not declare at <folder>\/hello\.js:8:34; declare it under envelopes/,
    ],
    [
      'binds a route that it does not declare',
      "() => ({ routes: { helo: () => 'hi' } })",
      /setup returned routes helo, which it does not declare at .*; declare it under routes/,
    ],
    [
      'throws in ready',
      "() => ({ ready() { throw new Error('away'); } })",
      /getting ready failed: away at <folder>\/hello\.js:8:37/,
    ],
  ];
  for (const [what, setup, said] of SETUPS) {
    it(`a setup that ${what} stops the start by name`, async () => {
      const { code, error } = await mesh(['start', '--log-level', 'silent', '--config', await written(plain(setup))]);
      assert.equal(code, 1, error);
      assert.match(here(error), said);
      assert.match(error, /- hello: /);
    });
  }

  it('a misspelt binding names the declared one', async () => {
    const source = hello({ setup: "() => ({ routes: { helo: () => 'hi' } })" });
    const { error } = await mesh(['start', '--log-level', 'silent', '--config', await written(source)]);
    assert.match(
      here(error),
      /it declares routes hello but setup returned none at <folder>\/hello\.js:8:31; is helo meant for hello\?/,
    );
  });

  it('a metric that is named as those of the node stops the start by name', async () => {
    const setup = "({ metrics }) => { metrics.counter('mesh_job_runs_total', 'Runs.', ['x']); return {}; }";
    const source = hello({ face: 'uses: { metrics: Metrics },', routes: '', setup });
    const { code, error } = await mesh(['start', '--log-level', 'silent', '--config', await written(source)]);
    assert.equal(code, 1, error);
    assert.match(
      here(error),
      /- hello: setup failed: the name of the metric mesh_job_runs_total begins as those of the node; write hello_… at .*hello\.js:8:\d+/,
    );
  });

  describe('while the node runs', () => {
    const SOURCE = `${HEAD}
const api = { auth: 'open' };
export default definePlugin({
  name: 'hello', api: '2.0',
  node: {
    routes: {
      throws: route('GET /throws', { ...api, reply: Text }),
      nothing: route('GET /nothing', { ...api, reply: Text }),
      wrong: route('GET /wrong', { ...api, reply: Text }),
      bytes: route('GET /bytes', { ...api, reply: 'bytes' }),
      strange: route('GET /strange', { auth: 'strange', reply: Text }),
      refuses: route('GET /refuses', { auth: 'refuses', reply: Text }),
      angry: route('GET /angry', { auth: 'angry', reply: Text }),
      frames: stream('/ws/throws', { ...api, frame: Text }),
      noFrames: stream('/ws/nothing', { ...api, frame: Text }),
      lateEvents: events('/events/throws', { ...api, frame: Text }),
      raw: socket('/ws/raw', api),
      unready: route('GET /unready', { ...api, reply: Text }),
      undeclared: route('GET /undeclared', api),
      left: route('GET /left', api),
      fine: route('GET /fine', { ...api, reply: Text }),
    },
    guards: Object.fromEntries(['strange', 'refuses', 'angry'].map((name) => [name, { summary: name, scheme: { type: 'http', scheme: 'bearer' } }])),
    envelopes: { VERDICT: true },
    uses: { metrics: Metrics },
    setup: ({ metrics }) => (metrics.gauge('hello_broken', 'Broken.', () => { throw new Error('thrown by a gauge'); }),
      metrics.gauges('hello_text', 'Text.', 'of', () => ({ a: 'many' })), {
      routes: {
        throws() { throw new Error('thrown by a route'); },
        nothing() {},
        wrong: () => 7,
        bytes: () => 7,
        strange: () => 'hi',
        refuses: () => 'hi',
        angry: () => 'hi',
        async *frames() { throw new Error('thrown by a stream'); },
        noFrames() {},
        async *lateEvents() { yield 'first'; throw new Error('thrown by events'); },
        raw() { throw new Error('thrown by a socket'); },
        unready: () => 'hi',
        undeclared: () => ({ text: 'hi' }),
        left: () => 7,
        fine: () => 'fine',
      },
      guards: { strange: () => true, refuses: () => null, angry() { throw new Error('thrown by a guard'); } },
      preconditions: { unready() { throw new Error('thrown by a precondition'); } },
      envelopes: { VERDICT() { throw new Error('thrown by a handler'); } },
      jobs: [{ name: 'tidy', every: 3_600_000, first: 0, run() { throw new Error('thrown by a job'); } }],
      health: () => 'fine',
      stop() { throw new Error('thrown by stop'); },
    }),
  },
});
`;
    const logged: { readonly text: string; readonly fields: Record<string, unknown> }[] = [];
    const warned: string[] = [];
    const log: Log = {
      ...silentLog,
      warn: (_, text) => void warned.push(text ?? ''),
      error: (fields, text) => void logged.push({ fields: fields as Record<string, unknown>, text: text ?? '' }),
      child: () => log,
    };
    let node: RunningNode;
    before(async () => {
      await written(SOURCE);
      node = await bootNode({
        builtins: { profiles: { node: [], aggregator: [] }, plugins: {} },
        config: { value: { listen: '127.0.0.1:0', plugins: { './hello.js': {} } }, folder },
        log,
      });
    });
    after(async () => {
      const problems = await node.stop();
      assert.match(
        problems.map(({ where, what }) => here(`${where} ${what}`)).join(),
        /^hello stop failed: thrown by stop at <folder>\/hello\.js:\d+:\d+$/,
      );
    });

    const get = (path: string) => fetch(`${node.url}${path}`);
    const lastOf = () => {
      const { fields, text } = logged.at(-1)!;
      return here(`${text}: ${(fields['err'] as Error).message} at ${fields['at']}`);
    };

    const ROUTES: [path: string, status: number, said: RegExp | undefined][] = [
      ['/throws', 500, /^a call failed: thrown by a route at <folder>\/hello\.js:\d+:26$/],
      [
        '/nothing',
        500,
        /the handler of GET \/nothing in the plugin hello returned nothing, but the route declares a reply; return a value for it/,
      ],
      ['/wrong', 500, /the reply breaks its contract: the value must be a string/],
      ['/bytes', 500, /the handler of GET \/bytes in the plugin hello returned a number, .*; return a Uint8Array/],
      ['/strange', 500, /the guard strange returned a boolean; return a principal such as \{ kind/],
      ['/angry', 500, /thrown by a guard at <folder>\/hello\.js/],
      ['/refuses', 401, undefined],
      ['/unready', 500, /^a call failed: thrown by a precondition at <folder>\/hello\.js/],
    ];
    for (const [path, status, said] of ROUTES) {
      it(`GET ${path} answers ${status}${said ? ', and the log says why' : ''}`, async () => {
        assert.equal((await get(path)).status, status);
        if (said) assert.match(lastOf(), said);
        assert.equal(await (await get('/fine')).json(), 'fine');
      });
    }

    it('an answer to a route without a reply is told once, as it goes nowhere', async () => {
      for (const path of ['/undeclared', '/undeclared', '/left']) assert.equal((await get(path)).status, 204);
      assert.deepEqual(
        warned.filter((text) => text.includes('nobody gets')),
        [
          'the handler of GET /undeclared in the plugin hello returned an object, which nobody gets, because the route declares no reply; write reply: typed({ … })',
        ],
      );
    });

    for (const [path, said] of [
      ['/ws/throws', /^a stream failed: thrown by a stream at <folder>\/hello\.js/],
      [
        '/ws/nothing',
        /the handler of WS \/ws\/nothing in the plugin hello returned nothing, and no frames; write async \*noFrames\(call\)/,
      ],
      ['/ws/raw', /^a \S+ failed: thrown by a socket at <folder>\/hello\.js/],
    ] as const) {
      it(`${path} is closed with 1011, and the log says why`, async () => {
        const socket = new WebSocket(`${node.url.replace('http', 'ws')}${path}`);
        const code = await new Promise((resolve) => socket.once('close', resolve));
        assert.equal(code, 1011);
        assert.match(lastOf(), said);
      });
    }

    it('events that throw end with 1011 behind what was sent, and the log says why', async () => {
      const text = await (await get('/events/throws')).text();
      assert.match(text, /data: "first"\n[\s\S]*event: end\n[\s\S]*1011/);
      assert.match(lastOf(), /^a stream of events failed: thrown by events at <folder>\/hello\.js/);
    });

    it('a job and a handler of envelopes that throw are logged with their place, and the node goes on', async () => {
      await node.get(EnvelopeHandlers).deliver({ type: 'VERDICT', id: 'v' } as ReceivedEnvelope);
      assert.match(lastOf(), /^an envelope handler failed: thrown by a handler at <folder>\/hello\.js:\d+:38$/);
      while (!logged.some(({ text }) => text === 'a job failed')) await setTimeout(10);
      const job = logged.find(({ text }) => text === 'a job failed')!;
      assert.match(here(String(job.fields['at'])), /^<folder>\/hello\.js:\d+:\d+$/);
      assert.equal((await get('/fine')).status, 200);
    });

    it('gauges that throw, or give no number, are logged once, and the metrics of the others are shown', async () => {
      for (const _ of [1, 2]) {
        const { status, text } = await get('/metrics').then(async (answer) => ({
          status: answer.status,
          text: await answer.text(),
        }));
        assert.equal(status, 200);
        assert.match(text, /^mesh_build_info/m);
        assert.doesNotMatch(text, /^hello_text\{/m);
      }
      const said = logged
        .filter(({ text }) => text === 'a gauge failed')
        .map(({ fields }) => here(String(fields['err'])));
      assert.deepEqual(said.sort(), [
        'Error: thrown by a gauge',
        'TypeError: the gauge hello_text gave a string and no number',
      ]);
    });

    it('a health of another shape is degraded, with what it should be', async () => {
      const { status, plugins } = (await (await get('/health')).json()) as {
        status: string;
        plugins: Record<string, { state: string; detail?: string }>;
      };
      assert.equal(status, 'degraded');
      assert.equal(plugins['hello']?.state, 'degraded');
      assert.match(plugins['hello']?.detail ?? '', /the job tidy failed|its health function returned a string/);
    });
  });

  describe('that imports the inside of core by its path', () => {
    const inside = '../node_modules/agent-mesh/core/platform/bytes.ts';
    it('is named by mesh check, of the plugin and of plugins.json', async () => {
      const file = await written(`import '../lib.js';\n${hello()}`.replace('../lib.js', './lib.js'));
      await writeFile(join(folder, 'lib.js'), `\nimport '${inside}';\n`);
      const said = new RegExp(`it imports ${inside}, core's own, at <folder>/lib\\.js:2:9; import agent-mesh/plugin`);
      const plugin = await mesh(['check', join(folder, 'hello.js')]);
      assert.equal(plugin.code, 1);
      assert.match(here(plugin.out), /wrong {2}imports what agent-mesh offers\n/);
      assert.match(here(plugin.out), said);
      const all = await mesh(['check', '--config', file]);
      assert.equal(all.code, 0);
      assert.match(here(all.error), said);
    });
  });
});
