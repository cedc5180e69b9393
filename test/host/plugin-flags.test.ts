import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { config as configCommands } from '../../core/cli/config-show.ts';
import { COMMANDS, type Composition, runCommand } from '../../core/cli/main.ts';
import { BootError, bootNode } from '../../core/host/boot/boot-node.ts';
import { silentLog } from '../../core/platform/log.ts';
import { definePlugin, type Plugin, route, typed } from '../../core/plugin.ts';
import { SECRET } from '../support/node.ts';

const Shown = typed<object>({ type: 'object' });

/** A plugin that shows what it was configured with. */
function shelf(name: string, flags: Plugin['flags'], path: `/${string}` = '/shelf'): Plugin {
  return definePlugin({
    name,
    api: '2.0',
    config: typed<{ room?: string; rows: number; key?: string }>({
      type: 'object',
      properties: { room: { type: 'string' }, rows: { type: 'integer', default: 1 }, key: { type: 'string' } },
    }),
    ...(flags && { flags }),
    node: {
      routes: { show: route(`GET ${path}`, { auth: 'open', reply: Shown }) },
      setup: (_, { config }) => ({ routes: { show: () => config } }),
    },
  });
}

const ROWS = { rows: { flag: '--shelf-rows', type: 'integer', summary: 'how many rows it has' } } as const;
const FILE = `export default {
  name: 'shelf', api: '2.0',
  config: { schema: { type: 'object', properties: { room: { type: 'string' }, rows: { type: 'integer' } } } },
  flags: {
    room: { flag: '--shelf-room', type: 'text', path: true, summary: 'folder of the shelf' },
    rows: { flag: '--shelf-rows', type: 'integer', summary: 'how many rows it has' },
  },
  node: { routes: {}, setup: (_, { config, note }) => { note(JSON.stringify(config)); return {}; } },
};`;

describe('flags that plugins declare', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flags-'));
    await writeFile(join(folder, 'shelf.v1.js'), FILE);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    const plugins = { './shelf.v1.js': { rows: 2 } };
    await writeFile(join(folder, 'plugins.json'), JSON.stringify({ listen: '127.0.0.1:0', plugins }));
  });
  after(() => rm(folder, { recursive: true }));

  const settings = { listen: '127.0.0.1:0', dataDir: './data', api: { secret: SECRET } };
  const boot = (
    plugins: Record<string, unknown>,
    given: { argv?: string[]; env?: Record<string, string> },
    builtIn: readonly Plugin[] = [],
  ) =>
    bootNode({
      log: silentLog,
      config: { value: { ...settings, plugins }, folder, ...given },
      builtins: {
        profiles: { node: [], aggregator: [] },
        plugins: Object.fromEntries(builtIn.map((plugin) => [plugin.name, () => plugin])),
      },
    });
  const shown = async (
    plugins: Record<string, unknown>,
    given: Parameters<typeof boot>[1],
    builtIn: readonly Plugin[],
  ) => {
    const node = await boot(plugins, given, builtIn);
    const response = await fetch(`${node.url}/shelf`);
    await node.stop();
    return response.status === 200 ? response.json() : response.status;
  };
  const problemsOf = async (...args: Parameters<typeof boot>): Promise<string> => {
    try {
      await (await boot(...args)).stop();
    } catch (error) {
      assert.ok(error instanceof BootError, String(error));
      return error.problems.map(({ where, what, hint }) => `${where}: ${what}; ${hint}`).join('\n');
    }
    return 'none';
  };

  it('set its configuration, as variables do, and a flag wins', async () => {
    const plugin = shelf('shelf', ROWS);
    const env = { NODE_SHELF_ROWS: '3' };
    assert.deepEqual(await shown({ shelf: { rows: 2 } }, {}, [plugin]), { rows: 2 });
    assert.deepEqual(await shown({ shelf: { rows: 2 } }, { env }, [plugin]), { rows: 3 });
    assert.deepEqual(await shown({ shelf: {} }, { env, argv: ['--shelf-rows', '4'] }, [plugin]), { rows: 4 });
  });

  it('switch a plugin on that this package brings along, and not one that is off', async () => {
    const plugin = shelf('shelf', ROWS);
    assert.deepEqual(await shown({}, {}, [plugin]), 404);
    assert.deepEqual(await shown({}, { argv: ['--shelf-rows', '4'] }, [plugin]), { rows: 4 });
    assert.deepEqual(await shown({ shelf: false }, { argv: ['--shelf-rows', '4'] }, [plugin]), 404);
  });

  it('are known of a file once plugins.json was read', async () => {
    const node = await boot({ './shelf.v1.js': {} }, { argv: ['--shelf-room', 'here', '--shelf-rows=7'] });
    await node.stop();
    assert.ok(node.report.notes.includes(JSON.stringify({ room: join(process.cwd(), 'here'), rows: 7 })));
    assert.match(await problemsOf({}, { argv: ['--shelf-rows', '7'] }), /Unknown option '--shelf-rows'/);
    assert.match(await problemsOf({ './shelf.v1.js': false }, { argv: ['--shelf-rows', '7'] }), /Unknown option/);
  });

  it('are held against its configuration', async () => {
    const found = await problemsOf({ shelf: {} }, { argv: ['--shelf-rows', 'x'] }, [shelf('shelf', ROWS)]);
    assert.match(found, /^--shelf-rows: must be a whole number/);
  });

  it('are declared once: who declares one again is named with who did before', async () => {
    const [one, two] = [shelf('one', ROWS, '/one'), shelf('two', ROWS, '/two')];
    const found = await problemsOf({ one: {}, two: {} }, {}, [one, two]);
    assert.equal(found, 'two: its flag --shelf-rows is declared by one already; leave two or one out');
    const core = shelf('three', { room: { flag: '--data-dir', type: 'text', summary: 'x' } });
    assert.match(
      await problemsOf({ three: {} }, {}, [core]),
      /^three: its flag --data-dir is declared by core already/,
    );
    const config = shelf('four', { room: { flag: '--config', type: 'text', summary: 'x' } });
    assert.match(await problemsOf({ four: {} }, {}, [config]), /^four: its flag --config is declared by core already/);
  });

  const WRONG: [flags: any, what: RegExp][] = [
    [{ rows: { flag: 'rows', type: 'integer', summary: 'x' } }, /"rows" must be written --in-lower-case/],
    [{ rows: { flag: '--Rows', type: 'integer', summary: 'x' } }, /"--Rows" must be written --in-lower-case/],
    [{ rows: { flag: '--no-rows', type: 'integer', summary: 'x' } }, /not begin with --no-/],
    [
      { rows: { flag: '--rows', type: 'number', summary: 'x' } },
      /--rows has the type "number"; types are text, integer,/,
    ],
    [{ rows: { flag: '--rows', summary: 'x' } }, /--rows has no type; types are text, integer,/],
    [{ rows: { flag: '--rows', type: 'integer' } }, /--rows has no summary/],
    [{ rows: null }, /its flag undefined must be written/],
    [
      { depth: { flag: '--depth', type: 'integer', summary: 'x' } },
      /sets depth, which its configuration does not name/,
    ],
    [
      {
        room: { flag: '--shelf', type: 'text', summary: 'x' },
        rows: { flag: '--shelf', type: 'integer', summary: 'y' },
      },
      /^shelf: it declares its flag --shelf twice; its author gives one of them another name$/m,
    ],
    [{ room: { flag: '--options', type: 'text', summary: 'x' } }, /NODE_OPTIONS, which Node\.js reads/],
  ];
  for (const [flags, what] of WRONG) {
    it(`are refused when they cannot be: ${what.source}`, async () => {
      assert.match(await problemsOf({ shelf: {} }, { argv: ['--moon'] }, [shelf('shelf', flags)]), what);
    });
  }

  describe('on the command line', () => {
    const composition: Composition = {
      builtins: {
        profiles: { node: [], aggregator: [] },
        plugins: {
          notes: () => shelf('notes', { key: { flag: '--notes-key', type: 'text', secret: true, summary: 'its key' } }),
        },
      },
      providers: () => [],
    };
    async function mesh(
      line: string[],
      env: Record<string, string> = {},
    ): Promise<{ code: number; out: string; error: string }> {
      const [out, error]: [string[], string[]] = [[], []];
      const terminal = {
        out: (text: string) => void out.push(text),
        error: (text: string) => void error.push(text),
        env,
        untilStopped: async () => {},
      };
      const code = await runCommand(line, composition, terminal, { ...COMMANDS, config: configCommands });
      return { code, out: out.join('\n'), error: error.join('\n') };
    }
    const config = () => ['--config', join(folder, 'plugins.json')];

    it('stand in the help, of files too when --config names where they are listed', async () => {
      const { out } = await mesh(['start', '--help', ...config()]);
      assert.match(out, /--shelf-room \S+ +folder of the shelf \(NODE_SHELF_ROOM\)/);
      assert.match(out, /--notes-key SECRET +its key \(NODE_NOTES_KEY\)/);
      assert.doesNotMatch(out, /--hosting|--launchpad|--skill-workspace/);
    });

    it('show no secret of a plugin from a path in config show, whatever it is called', async () => {
      const list = { type: 'array', items: { type: 'string' } };
      const properties = {
        pin: { type: 'string' },
        pins: list,
        phrase: { type: 'string' },
        tokens: { type: 'object' },
      };
      const flags = { phrase: { flag: '--safe-phrase', type: 'text', secret: true, summary: 'what opens it' } };
      const plugin = JSON.stringify({
        name: 'safe',
        api: '2.0',
        config: { schema: { type: 'object', properties } },
        flags,
      });
      await writeFile(join(folder, 'safe.js'), `export default { ...${plugin}, node: { setup: () => ({}) } };`);
      const given = { pin: { $env: 'PIN' }, pins: ['1', { $env: 'PIN' }], tokens: { acme: 'leaked-token' } };
      await writeFile(join(folder, 'safe.json'), JSON.stringify({ plugins: { './safe.js': given } }));
      const line = ['config', 'show', '--json', '--config', join(folder, 'safe.json')];
      const { code, out, error } = await mesh(line, { PIN: 'leaked-pin', NODE_SAFE_PHRASE: 'leaked-phrase' });
      assert.equal(code, 0, error);
      assert.doesNotMatch(out + error, /leaked/);
      const { settings } = JSON.parse(out) as { settings: { key: string; value: unknown }[] };
      const shown = settings.filter(({ key }) => key.startsWith('plugins.')).map(({ key, value }) => [key, value]);
      assert.deepEqual(
        shown.sort(),
        ['phrase', 'pin', 'pins', 'tokens.acme'].map((key) => [`plugins../safe.js.${key}`, '(hidden)']),
      );
    });

    it('are taken by commands that read the configuration', async () => {
      const checked = await mesh(['check', ...config(), '--shelf-rows', '4', '--notes-key=a-key']);
      assert.equal(checked.code, 0, checked.error);
      const unknown = await mesh(['check', ...config(), '--shelf-row', '4']);
      assert.deepEqual(
        [unknown.code, unknown.error.split('\n')[0]],
        [2, '--shelf-row is not an option of mesh check; did you mean --shelf-rows?'],
      );
      const absent = await mesh(['check', ...config(), '--launchpad-api-key', 'k']);
      assert.match(absent.error, /--launchpad-api-key is not an option of mesh check/);
    });
  });
});
