import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { adapters } from '../../adapters/index.ts';
import { checkCommand } from '../../core/cli/check-plugin.ts';
import { type Commands, runCommand } from '../../core/cli/main.ts';
import { newCommand } from '../../core/cli/new-plugin.ts';
import { composition } from '../../core/host/wiring/composition.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { VERSION } from '../../core/platform/version.ts';

const parts = { adapters, plugins: {} };

async function mesh(...given: (string | Commands)[]): Promise<{ code: number; out: string; error: string }> {
  const args = given.filter((one) => typeof one === 'string');
  const [own = {}] = given.filter((one) => typeof one !== 'string');
  const [out, error]: [string[], string[]] = [[], []];
  const terminal = {
    env: {},
    out: (text: string) => void out.push(text),
    error: (text: string) => void error.push(text),
    untilStopped: async () => {},
  };
  const commands = { check: checkCommand(parts), new: newCommand, ...own };
  const code = await runCommand(args, composition(parts), terminal, commands);
  return { code, out: out.join('\n'), error: error.join('\n') };
}

describe('the commands of the plugin kit', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-commands-'));
  });
  after(() => rm(folder, { recursive: true }));

  const REFUSALS: [args: string[], code: number, said: RegExp][] = [
    [['new'], 2, /say plugin/],
    [['new', 'adapter', 'x'], 2, /there is no mesh new adapter/],
    [['new', 'plugin'], 2, /NAME is missing: kebab-case.*\nusage: mesh new plugin NAME \[options\]/],
    [['new', 'plugin', '../up'], 2, /is no kebab-case name/],
    [['new', 'plugin', 'a', 'b'], 2, /it takes no "b"/],
    [['new', 'plugin', 'core'], 1, /core is there already and not empty/],
    [['check', 'not-installed'], 1, /not-installed: neither built in nor installed/],
    [['check', './core'], 1, /there is no package.json in this folder/],
    [['check', '.'], 1, /its package.json has no "mesh": \{ "plugin"/],
    [['check', 'anything', '--fast'], 2, /--fast is not an option of mesh check/],
    [['check', 'anything', '--log-level', 'warn'], 2, /a plugin is checked without --log-level/],
    [['check', './core/platform/version.ts', '--settings', 'none.json'], 1, /no such file/],
  ];
  for (const [args, code, said] of REFUSALS) {
    it(`refuse \`mesh ${args.join(' ')}\` with a sentence`, async () => {
      const done = await mesh(...args);
      assert.equal(done.code, code, done.out);
      assert.match(done.error, said);
    });
  }

  it('tell what cannot be checked as JSON too', async () => {
    const { code, out } = await mesh('check', 'not-installed', '--json');
    assert.equal(code, 1);
    assert.match(JSON.parse(out).problem, /not-installed: neither built in/);
  });

  it('check a single file, and name what is wrong with it', async () => {
    const file = join(folder, 'lonely.mjs');
    const sdk = pathToFileURL(join(packageRoot, 'core/plugin.ts')).href;
    await writeFile(
      file,
      `import { definePlugin } from ${JSON.stringify(sdk)};
      export default definePlugin({ name: 'Lonely', api: '2.0' });`,
    );
    const { code, out, error } = await mesh('check', file);
    assert.equal(code, 1);
    assert.match(out, /^wrong {2}is a plugin\n {7}its name "Lonely" must be kebab-case/);
    assert.match(out, /neither a node nor an aggregator face/);
    assert.match(error, /Lonely breaks the plugin contract\./);
  });

  it('tell a refusal once, with what helps', async () => {
    const file = join(folder, 'deaf.mjs');
    const sdk = pathToFileURL(join(packageRoot, 'core/plugin.ts')).href;
    await writeFile(
      file,
      `import { definePlugin } from ${JSON.stringify(sdk)};
      const envelopes = { MESSAGE: () => {} };
      export default definePlugin({
        name: 'deaf', api: '2.0', node: { envelopes: { MESSAGE: true }, setup: () => ({ envelopes }) },
      });`,
    );
    const { code, out } = await mesh('check', file);
    assert.equal(code, 1);
    assert.deepEqual(out.match(/without the permission messages:read.*/g), [
      "without the permission messages:read; its author adds permissions: ['messages:read']",
    ]);
    assert.match(out, /^wrong {2}starts, stops and starts again, and leaves nothing open\n {7}as above$/m);
  });

  it('write a badge whether the contract is kept or not, the same bytes on the same day', async () => {
    const sdk = pathToFileURL(join(packageRoot, 'core/plugin.ts')).href;
    const badges = ['one.json', 'two.json'].map((name) => join(folder, name));
    const written = async (plugin: string, file: string, now: number) => {
      const check = checkCommand(parts, { ...systemClock, now: () => now });
      const { code } = await mesh({ check }, 'check', plugin, '--badge', file);
      return [code, await readFile(file, 'utf8')] as const;
    };
    const good = join(folder, 'good.mjs');
    const source = `import { definePlugin } from ${JSON.stringify(sdk)};
      export default definePlugin({ name: 'good', api: '2.0', permissions: ['messages:send', 'blobs'], node: { setup: () => ({}) } });`;
    await writeFile(good, source);
    const noon = Date.UTC(2026, 1, 3, 12);
    const [code, text] = await written(good, badges[0]!, noon);
    assert.deepEqual([code, text], await written(good, badges[1]!, noon + 3_600_000));
    const clauses = JSON.parse(text).clauses as { name: string }[];
    assert.deepEqual(JSON.parse(text), {
      badge: 1,
      plugin: 'good',
      version: null,
      contract: '2.2',
      agent_mesh: VERSION,
      date: '2026-02-03',
      ok: code === 0,
      permissions: ['blobs', 'messages:send'],
      clauses: clauses.map(({ name }) => ({ name, ok: true, problems: [] })),
    });
    assert.deepEqual([code, clauses.length], [0, 8]);

    const bad = join(folder, 'bad.mjs');
    await writeFile(bad, source.replace("name: 'good'", "name: 'Bad'"));
    const [failed, told] = await written(bad, badges[0]!, noon);
    const { ok, clauses: broken } = JSON.parse(told);
    assert.deepEqual([failed, ok, broken[0].ok], [1, false, false]);
    assert.deepEqual(broken[0].problems, ['its name "Bad" must be kebab-case']);

    const nowhere = join(folder, 'none', 'badge.json');
    assert.match((await mesh('check', good, '--badge', nowhere)).error, /^the badge cannot be written: ENOENT/);
    const alone = await mesh('check', '--badge', nowhere);
    assert.deepEqual([alone.code, alone.error.split('\n')[0]], [2, '--badge needs a PLUGIN to check']);
  });

  it('name the files that npm pack would leave out of a release', async () => {
    const home = join(folder, 'paged');
    const sdk = pathToFileURL(join(packageRoot, 'core/plugin.ts')).href;
    await mkdir(join(home, 'pages/deep'), { recursive: true });
    await writeFile(join(home, 'pages/index.html'), '<p>hello</p>');
    await writeFile(join(home, 'pages/deep/more.html'), '<p>more</p>');
    await writeFile(join(home, 'name.mjs'), "export const name = 'paged';");
    await writeFile(
      join(home, 'index.mjs'),
      `import { definePlugin, files } from '${sdk}';
       import { name } from './name.mjs';
       const page = files('/paged', { auth: 'open', folder: new URL('./pages/', import.meta.url) });
       export default definePlugin({ name, api: '2.0', node: { routes: { page }, setup: () => ({}) } });`,
    );
    const release = async (listed: string[]) => {
      const manifest = { name: 'paged', version: '1.0.0', mesh: { plugin: './index.mjs', api: '2.0' }, files: listed };
      await writeFile(join(home, 'package.json'), JSON.stringify(manifest));
      return mesh('check', home);
    };
    const lacking = await release(['index.mjs']);
    assert.equal(lacking.code, 1);
    assert.match(lacking.out, /npm pack leaves out name\.mjs, pages\/deep\/more\.html, pages\/index\.html; list them/);
    const whole = await release(['index.mjs', 'name.mjs', 'pages']);
    assert.deepEqual([whole.code, whole.error], [0, ''], whole.out);
    assert.match(whole.out, /ok {4} is whole in the package that npm pack makes of it/);
  }).timeout(60_000);

  it('still check plugins.json when no plugin is named', async () => {
    const file = join(folder, 'plugins.json');
    await writeFile(file, JSON.stringify({ listen: '127.0.0.1:0', plugins: {} }));
    const { code, out } = await mesh('check', '--config', file);
    assert.equal(code, 0);
    assert.match(out, /nothing is wrong/);
  });
});
