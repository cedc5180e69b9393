import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { type ConfigurationSource, readConfiguration } from '../../core/host/config/configuration.ts';
import { allFlags, FLAGS, type Flag, variableOf } from '../../core/host/config/flags.ts';
import { isLoopback, parseListen, urlOf } from '../../core/platform/listen.ts';
import { packageRoot } from '../../core/platform/package-root.ts';

/** The flags of a plugin under a key of plugins.json, each with what it sets. */
function flagsOf(plugin: string, rows: readonly [name: string, member: string, type: Flag['type']][]): Flag[] {
  return rows.map(([name, member, type]) => ({
    name,
    type,
    key: `plugins.${plugin}.${member}`,
    plugin,
    summary: name,
  }));
}
const HOSTING = flagsOf('hosting', [
  ['hosting', 'enabled', 'switch'],
  ['hosting-fee-bps', 'feeBps', 'integer'],
]);
const LAUNCHPAD = flagsOf('launchpad', [['launchpad-api-key', 'apiKey', 'text']]);
const REGISTRY = flagsOf('registry8004', [['registry-8004-disabled', 'gate', 'off']]);

describe('configuration', () => {
  const contracts = loadContracts();
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-'));
  });
  after(() => rm(folder, { recursive: true }));
  const read = (source: ConfigurationSource) => readConfiguration({ folder, ...source }, contracts);

  it('has a default for everything', () => {
    const { settings, listen, problems } = read({ value: {} });
    assert.deepEqual(problems, []);
    assert.deepEqual(listen, { host: '127.0.0.1', port: 9090 });
    assert.equal(settings.profile, 'node');
    assert.equal(settings.network.id, 'localnet');
    assert.equal(settings.dataDir, join(folder, 'data'));
    assert.equal(settings.api.corsOrigins, undefined);
  });

  it('keeps keys and data in the working directory when no plugins.json is there', () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      const here = process.cwd();
      const { settings, folder: found, problems } = readConfiguration({}, contracts);
      assert.deepEqual(problems, []);
      assert.deepEqual([settings.dataDir, found], [join(here, 'data'), here]);
    } finally {
      process.chdir(before);
    }
  });

  it('takes a flag before a variable before the file', () => {
    const value = { agent: { name: 'file' }, network: { id: 'file' }, listen: '127.0.0.1:1' };
    const env = { NODE_AGENT_NAME: 'variable', NODE_NETWORK_ID: 'variable' };
    const { settings, problems } = read({ value, env, argv: ['--agent-name', 'flag'] });
    assert.deepEqual(problems, []);
    assert.deepEqual([settings.agent.name, settings.network.id, settings.listen], ['flag', 'variable', '127.0.0.1:1']);
  });

  it('takes one RPC of the ledger, or two that are not the same, and a flag before the file', () => {
    const [one, two, three] = ['http://127.0.0.1:1', 'http://127.0.0.1:2', 'http://127.0.0.1:3'];
    const urls = (source: ConfigurationSource) => {
      const { settings, problems } = read(source);
      return problems.length === 0
        ? (settings.ledger.rpcUrls ?? [settings.ledger.rpcUrl])
        : problems.map(({ where }) => where);
    };
    assert.deepEqual(urls({ value: { ledger: { rpcUrl: one } } }), [one]);
    assert.deepEqual(urls({ value: { ledger: { rpcUrls: [one, two] } } }), [one, two]);
    assert.deepEqual(urls({ value: { ledger: { rpcUrl: one } }, argv: ['--rpc-url', two] }), [two]);
    assert.deepEqual(urls({ value: {}, argv: ['--rpc-url', one, '--rpc-url', two] }), [one, two]);
    assert.deepEqual(urls({ value: {}, env: { NODE_RPC_URL: `${one},${two}` } }), [one, two]);
    for (const wrong of [[one, two, three], [one, one], [], ['no address']])
      assert.match(String(urls({ value: { ledger: { rpcUrls: wrong } } })[0]), /^ledger\.rpcUrls/, String(wrong));
  });

  it('reads every kind of flag', () => {
    const argv = [
      ...['--aggregator-url', 'http://a:1,http://b:2', '--aggregator-url', 'http://c:3'],
      ...['--api-read-auth', '--trust-proxy=2', '--cors-origins', 'https://x.example', '--data-dir', 'here'],
      ...['--registry-8004-disabled', '--hosting', '--hosting-fee-bps', '50', '--launchpad-api-key', 'k'],
    ];
    const value = { plugins: { registry8004: {}, hosting: { enabled: false }, launchpad: {} } };
    const { settings, problems } = read({ value, argv, flags: [...HOSTING, ...LAUNCHPAD, ...REGISTRY] });
    assert.deepEqual(problems, []);
    assert.deepEqual(settings.mesh.aggregators, ['http://a:1', 'http://b:2', 'http://c:3']);
    assert.deepEqual([settings.api.readAuth, settings.api.trustProxy], [true, 2]);
    assert.equal(settings.dataDir, join(process.cwd(), 'here'));
    assert.deepEqual(settings.plugins, {
      registry8004: { gate: false },
      hosting: { enabled: true, feeBps: 50 },
      launchpad: { apiKey: 'k' },
    });
  });

  it('takes a flag that switches off what is not there, and brings nothing in for it', () => {
    const { settings, problems, warnings } = read({ value: {}, argv: ['--registry-8004-disabled'], flags: REGISTRY });
    assert.deepEqual([problems, warnings, settings.plugins], [[], [], {}]);
  });

  it('has one variable for every flag', () => {
    assert.equal(variableOf(FLAGS.find(({ name }) => name === 'api-secret')!), 'NODE_API_SECRET');
    assert.equal(new Set(allFlags().map(variableOf)).size, allFlags().length);
    const off = read({ value: { api: { readAuth: true } }, env: { NODE_API_READ_AUTH: 'false' } });
    assert.equal(off.settings.api.readAuth, false);
  });

  it('enables the plugin of a flag or variable where this package brings it along', () => {
    const flags = [...HOSTING, ...LAUNCHPAD];
    const on = read({ value: {}, flags, argv: ['--hosting'], env: { NODE_LAUNCHPAD_API_KEY: 'k' } });
    assert.deepEqual([on.problems, on.warnings], [[], []]);
    assert.deepEqual(on.settings.plugins, {
      hosting: { enabled: true },
      launchpad: { apiKey: 'k' },
    });
    assert.deepEqual(read({ value: {}, flags, argv: ['--no-hosting'] }).settings.plugins, {});
    const off = { plugins: { hosting: false } };
    assert.deepEqual(read({ value: off, flags, argv: ['--hosting-fee-bps', '5'] }).settings.plugins, {
      hosting: { enabled: false, feeBps: 5 },
    });
  });

  it('sets what a plugin takes whose key is a path', () => {
    const key = './skills.v2.js';
    const flags = flagsOf(key, [['skill-workspace', 'workspace', 'text']]);
    const { settings, problems } = read({ value: { plugins: { [key]: {} } }, flags, argv: ['--skill-workspace', 'w'] });
    assert.deepEqual([problems, settings.plugins], [[], { [key]: { workspace: 'w' } }]);
  });

  it('refuses a flag whose plugin is nowhere, and warns of its variable', () => {
    const [problem] = read({ value: {}, argv: ['--launchpad-api-key', 'k'] }).problems;
    assert.equal(problem?.what, "Unknown option '--launchpad-api-key'");
    const { problems, warnings, settings } = read({ value: {}, env: { NODE_LAUNCHPAD_API_KEY: 'k' } });
    assert.deepEqual([problems, settings.plugins], [[], {}]);
    assert.match(warnings[0]?.what ?? '', /is no variable of a node and has no effect/);
  });

  it('warns of variables with its prefix that nothing reads, but not of those of Node itself', () => {
    const env = { NODE_AGREGATOR_URL: 'http://a:1', NODE_MOON: '1', NODE_OPTIONS: '', NODE_ENV: 'x', HOME: '/' };
    const { problems, warnings } = read({ value: {}, env });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      warnings.map(({ where, what }) => `${where} ${what}`),
      [
        'NODE_AGREGATOR_URL is no variable of a node and has no effect; did you mean NODE_AGGREGATOR_URL?',
        'NODE_MOON is no variable of a node and has no effect',
      ],
    );
  });

  it('warns of a secret on the command line, where everybody can read it', () => {
    const { problems, warnings } = read({ value: {}, argv: ['--api-secret', 'a-secret-that-is-long'] });
    assert.deepEqual(problems, []);
    assert.equal(warnings[0]?.where, '--api-secret');
    assert.match(warnings[0]?.hint ?? '', /"api\.secret": \{ "\$file": "path" \}/);
    assert.doesNotMatch(JSON.stringify(warnings), /a-secret-that/);
    assert.deepEqual(read({ value: {}, env: { NODE_API_SECRET: 'a-secret-that-is-long' } }).warnings, []);
  });

  it('takes the host names of the API from a flag', () => {
    assert.deepEqual(read({ value: {}, argv: ['--api-hosts', 'a.example,b.example'] }).settings.api.hosts, [
      'a.example',
      'b.example',
    ]);
  });

  it('names the URL of an aggregator that says not how it is reached, or has a password that nobody sends', () => {
    const aggregators = ['localhost:19180', 'http://ann:geheim@aggregator.example', 'http://aggregator.example/a@b'];
    const { problems } = read({ value: { mesh: { aggregators } } });
    assert.deepEqual(
      problems.map(({ where }) => where),
      ['mesh.aggregators.0', 'mesh.aggregators.1'],
    );
    for (const { what } of problems) assert.match(what, /http:\/\/ or https:\/\/, without user and password/);
    assert.doesNotMatch(JSON.stringify(problems), /geheim/);
  });

  it('takes no member it does not know, and says which was probably meant, all at once', () => {
    const value = {
      agent: { nmae: 'x' },
      mesh: { agregators: [], hubs: [] },
      network: { ID: 'x' },
      api: { cors_origins: [] },
      log: { levle: 'info' },
      listn: ':1',
    };
    const found = read({ value }).problems.map(({ where, what }) => `${where} ${what}`);
    assert.deepEqual(found.sort(), [
      'agent.nmae is not a known field; did you mean name?',
      'api.cors_origins is not a known field; did you mean corsOrigins?',
      'listn is not a known field; did you mean listen?',
      'log.levle is not a known field; did you mean level?',
      'mesh.agregators is not a known field; did you mean aggregators?',
      'network.ID is not a known field; did you mean id?',
    ]);
  });

  it('says what else is wrong beside a reference that leads nowhere', () => {
    const value = { agent: { name: { $env: 'NOPE' } }, mesh: { hub: [] } };
    assert.deepEqual(
      read({ value }).problems.map(({ where }) => where),
      ['agent.name', 'mesh.hub'],
    );
  });

  it('resolves references to variables and files', async () => {
    await writeFile(join(folder, 'key'), 'from-the-file-0123456789\n');
    const value = {
      api: { secret: { $file: 'key' } },
      plugins: { a: { list: [{ $env: 'KEY' }] }, off: { enabled: false, key: { $env: 'NOT_SET' } } },
    };
    const { settings, problems } = read({ value, env: { KEY: 'value' } });
    assert.deepEqual(problems, []);
    assert.equal(settings.api.secret, 'from-the-file-0123456789');
    assert.deepEqual((settings.plugins as any).a.list, ['value']);
  });

  it('does not change the value it was given', () => {
    const value = { plugins: {} };
    read({ value, argv: ['--agent-name', 'x'] });
    assert.deepEqual(value, { plugins: {} });
  });

  const cases: [string, ConfigurationSource, string, RegExp][] = [
    ['an unknown key', { value: { nope: 1 } }, 'nope', /not a known field/],
    ['a wrong type', { value: { api: { readAuth: 'yes' } } }, 'api.readAuth', /must be a boolean/],
    ['an unknown profile', { value: { profile: 'hub' } }, 'profile', /must be one of node, aggregator/],
    ['an address that is none', { value: { listen: 'localhost' } }, 'listen', /no address and port/],
    ['a port out of range', { value: { listen: '127.0.0.1:70000' } }, 'listen', /no address and port/],
    ['a short secret', { value: { api: { secret: 'short' } } }, 'api.secret', /must have at least 16 characters/],
    ['a missing variable', { value: { agent: { name: { $env: 'NOPE' } } } }, 'agent.name', /NOPE is not set/],
    [
      'a missing file',
      { value: { agent: { name: { $file: 'nope' } } } },
      'agent.name',
      /nope cannot be read \(ENOENT\)/,
    ],
    ['a reference to nothing', { value: { agent: { name: { $env: 1 } } } }, 'agent.name', /must name a variable/],
    ['an unknown flag', { value: {}, argv: ['--nope'] }, 'command line', /Unknown option '--nope'/],
    ['a word that is no flag', { value: {}, argv: ['word'] }, 'command line', /Unexpected argument 'word'/],
    ['a flag without its value', { value: {}, argv: ['--api-secret'] }, 'command line', /argument missing/],
    ['a number that is none', { value: {}, argv: ['--trust-proxy', 'x'] }, '--trust-proxy', /whole number/],
    [
      'a switch that is none',
      { value: {}, env: { NODE_API_READ_AUTH: 'perhaps' } },
      'NODE_API_READ_AUTH',
      /true or false/,
    ],
    [
      'two flags for one key',
      { value: {}, argv: ['--api-addr', ':1', '--public-api-addr', ':2'] },
      '--public-api-addr',
      /something else than --api-addr/,
    ],
    ['a file that is not there', { file: '/nowhere/plugins.json' }, '/nowhere/plugins.json', /ENOENT/],
  ];
  for (const [name, source, where, what] of cases) {
    it(`names ${name}`, () => {
      const { problems } = read(source);
      assert.equal(problems[0]?.where, where);
      assert.match(problems[0]?.what ?? '', what);
    });
  }

  it('accepts the plugins.json of this package', () => {
    const { problems, folder: found } = readConfiguration({ file: join(packageRoot, 'plugins.json') }, contracts);
    assert.deepEqual([problems, found], [[], packageRoot]);
  });

  it('names a file that is no JSON', async () => {
    const file = join(folder, 'broken.json');
    await writeFile(file, '{');
    assert.equal(readConfiguration({ file }, contracts).problems[0]?.where, file);
  });
});

describe('listen addresses', () => {
  it('are read in every usual form', () => {
    assert.deepEqual(parseListen('9090'), { host: '127.0.0.1', port: 9090 });
    assert.deepEqual(parseListen(':0'), { host: '0.0.0.0', port: 0 });
    assert.deepEqual(parseListen('[::1]:80'), { host: '::1', port: 80 });
    assert.equal(parseListen('::1:80'), undefined);
    assert.equal(parseListen('a b:80:80'), undefined);
  });

  it('know what only this machine can reach', () => {
    assert.deepEqual(['127.0.0.1', '127.9.9.9', '::1', 'localhost', '::ffff:127.0.0.1'].map(isLoopback), [
      true,
      true,
      true,
      true,
      true,
    ]);
    assert.deepEqual(['0.0.0.0', '::', '10.0.0.1', '127.evil.example'].map(isLoopback), [false, false, false, false]);
  });

  it('become URLs', () => {
    assert.equal(urlOf('0.0.0.0', 80), 'http://127.0.0.1:80');
    assert.equal(urlOf('::1', 80), 'http://[::1]:80');
  });
});
