import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { meshWithPlugins } from '../cli/terminal.ts';

/** Flags of the specification, and the setting that each becomes. */
const FLAGS = [
  ['--launchpad-api-key', 'k-of-the-launchpad', 'plugins.launchpad.apiKey', '(hidden)'],
  ['--launchpad-partner-wallet', 'So11111111111111111111111111111111111111112', 'plugins.launchpad.partnerWallet'],
  ['--launchpad-partner-key', 'p-of-the-launchpad', 'plugins.launchpad.partnerKey', '(hidden)'],
  ['--hosting-fee-bps', 50, 'plugins.hosting.feeBps'],
  ['--public-api-addr', '127.0.0.1:9443', 'listen'],
  ['--public-api-url', 'https://node.example', 'api.publicUrl'],
  ['--skill-workspace', './workspace', 'plugins.skills.workspace'],
  ['--api-secret', 'the-secret-of-the-specification', 'api.secret', '(hidden)'],
] as const;
const SWITCHES = [
  ['--hosting', 'plugins.hosting.hostAgents', true],
  ['--registry-8004-disabled', 'plugins.registry8004.gate', false],
] as const;
/** Those that the specification names; each further flag has one by the same rule. */
const VARIABLES = [
  ['NODE_LAUNCHPAD_API_KEY', 'k-of-the-launchpad', 'plugins.launchpad.apiKey', '(hidden)'],
  [
    ...['NODE_LAUNCHPAD_PARTNER_WALLET', 'So11111111111111111111111111111111111111112'],
    'plugins.launchpad.partnerWallet',
  ],
  ['NODE_LAUNCHPAD_PARTNER_KEY', 'p-of-the-launchpad', 'plugins.launchpad.partnerKey', '(hidden)'],
] as const;

describe('the flags and variables of the specification', function () {
  this.timeout(60_000);
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-flags-'));
    await writeFile(join(folder, 'plugins.json'), '{ "plugins": { "registry8004": {} } }');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** The value of a setting, and where it is from. */
  async function shown(args: readonly string[], env: Record<string, string> = {}) {
    const line = ['config', 'show', '--json', '--config', join(folder, 'plugins.json'), ...args];
    const { code, out, error } = await meshWithPlugins(line, env);
    assert.equal(code, 0, error);
    const { settings } = JSON.parse(out) as { settings: { key: string; value: unknown; source: string }[] };
    return (key: string) => settings.find((one) => one.key === key);
  }

  it('set what they are said to set, each by its own name', async () => {
    const args = FLAGS.flatMap(([flag, value]) => [flag, String(value)]);
    const of = await shown([...args, ...SWITCHES.map(([flag]) => flag)]);
    for (const [flag, value, key, seen = value] of FLAGS) {
      const found = of(key);
      const isPath = key.endsWith('workspace');
      assert.deepEqual(
        [isPath ? value : found?.value, found?.source],
        [seen, flag],
        `${flag}: ${JSON.stringify(found)}`,
      );
      if (isPath) assert.match(String(found?.value), /workspace$/);
    }
    assert.equal(of('plugins.hosting.tokenDays')?.value, 30, 'how long a token holds is no secret');
    for (const [flag, key, value] of SWITCHES)
      assert.deepEqual([of(key)?.value, of(key)?.source], [value, flag], `${flag}: ${JSON.stringify(of(key))}`);
  });

  it('stand in for each other: the variable for the flag', async () => {
    const of = await shown([], Object.fromEntries(VARIABLES.map(([name, value]) => [name, value])));
    for (const [name, value, key, seen = value] of VARIABLES)
      assert.deepEqual([of(key)?.value, of(key)?.source], [seen, name], name);
  });

  it('stand in the help of mesh start', async () => {
    const { out } = await meshWithPlugins(['start', '--help']);
    for (const flag of [...FLAGS, ...SWITCHES].map(([name]) => name)) assert.match(out, new RegExp(`^ +${flag} `, 'm'));
    for (const [name] of VARIABLES) assert.ok(out.includes(`(${name}`), name);
  });
});
