import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMON_OPTIONS, type Command, isGroup, type Options, UsageError } from '../../core/cli/command.ts';
import { flagsOf, readLine } from '../../core/cli/read-line.ts';
import { allFlags, type Flag } from '../../core/host/config/flags.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import type { PluginFlag } from '../../core/plugin.ts';
import { plugins } from '../../plugins/index.ts';
import { freePort } from '../support/mesh-process.ts';
import { commands, mesh } from './terminal.ts';

/** Every command with its path, those below a word too. */
const ALL = Object.entries(commands).flatMap(([name, one]): [string, Command][] => {
  if (!isGroup(one)) return [[name, one]];
  const below = Object.entries(one.commands).map(([sub, inner]): [string, Command] => [`${name} ${sub}`, inner]);
  return [...(one.otherwise ? [[name, one.otherwise] as [string, Command]] : []), ...below];
});

const optionsOf = ({ options }: Command): Options => ({ ...options, ...COMMON_OPTIONS });
/** As a shell splits them. */
const wordsIn = (line: string) => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
const WORDS = ['one', 'two', 'three', 'four'];
const wordsOf = ({ words = [] }: Command) => WORDS.slice(0, words.filter(({ optional }) => !optional).length);

describe('every command of mesh', () => {
  for (const [path, command] of ALL) {
    const name = path.split(' ');
    const isDefault = isGroup(commands[path] ?? command);

    describe(`mesh ${path}`, () => {
      it('has a help with one line an option, its default and an example', async () => {
        const { code, out, error } = await mesh(isDefault ? [...name, '--json', '--help'] : [...name, '--help']);
        assert.deepEqual([code, error], [0, '']);
        if (isDefault) return;
        const lines = out.split('\n');
        assert.match(lines[0]!, new RegExp(`^mesh ${path} .*\\[options\\]$`));
        for (const [option, { takes }] of Object.entries(optionsOf(command))) {
          const its = lines.filter((line) => new RegExp(`^  (-[a-z], )?--${option}( |$)`).test(line));
          assert.equal(its.length, 1, option);
          assert.match(its[0]!, takes === undefined ? /\S {2,}\S/ : new RegExp(`--${option} ${takes}  +\\S`));
        }
        for (const line of lines) assert.ok(line.length <= 170, `${line.length} characters: ${line}`);
        assert.match(out, new RegExp(`^Examples?:\\n  mesh ${name[0]}`, 'm'));
        assert.match(out, /^Exit codes: 0 /m);
        assert.equal((await mesh([...name, '-h'])).out, out);
        assert.equal((await mesh(['help', ...name])).out, out);
        const described = JSON.parse((await mesh([...name, '--help', '--json'])).out);
        assert.equal(described.usage, lines[0]);
      });

      it('names the option that a misspelt one means, with code 2', async () => {
        const names = [...Object.keys(optionsOf(command)), ...flagsOf(command, allFlags()).map((flag) => flag.name)];
        for (const option of names.filter(({ length }) => length > 3)) {
          const wrong = `${option.slice(0, 2)}${option[3]}${option[2]}${option.slice(4)}`;
          if (wrong === option || names.includes(wrong)) continue;
          const { code, out, error } = await mesh([...name, ...wordsOf(command), `--${wrong}`]);
          assert.deepEqual([code, out], [2, ''], wrong);
          const [said, usage] = error.split('\n');
          assert.match(said!, new RegExp(`^--${wrong} is not an option of mesh ${path}; did you mean --`));
          assert.match(usage!, new RegExp(`^usage: mesh ${path} `));
        }
        assert.match((await mesh([...name, '--jsno'])).error, /did you mean --json\?/);
        assert.match((await mesh([...name, '--quixotic'])).error, /^--quixotic is not an option of mesh [a-z -]+$/m);
      });

      it('refuses an option without its value, a switch with one, a value that is none of its choices, and one twice', async () => {
        for (const [option, { takes, ...rest }] of Object.entries(optionsOf(command))) {
          const { code, error } = await mesh([...name, takes === undefined ? `--${option}=x` : `--${option}`]);
          assert.equal(code, 2);
          assert.match(error, new RegExp(`^--${option} ${takes === undefined ? 'takes no value' : 'needs a value'}`));
          if (isDefault && option === 'help') continue;
          const twice = takes === undefined ? [`--${option}`, `--${option}`] : [`--${option}=x`, `--${option}=x`];
          if (!('choices' in rest)) assert.match((await mesh([...name, ...twice])).error, /more than once|takes/);
          else assert.match((await mesh([...name, `--${option}=xyzzy`])).error, /^--\S+ takes .*, not xyzzy/);
        }
      });

      it('refuses words that are too many or missing', async () => {
        const most = [...(command.words ?? []).map(() => 'word'), 'surplus'];
        const { code, error } = await mesh([...name, '--', ...most]);
        if (!isDefault) {
          assert.equal(code, 2);
          assert.match(error, /it takes no "surplus"/);
        }
        const [first] = (command.words ?? []).filter(({ optional }) => !optional);
        if (!first) return;
        const missing = await mesh(name);
        assert.equal(missing.code, 2);
        assert.match(missing.error, new RegExp(`^${first.name} is missing: `));
      });

      it('has examples that it takes', () => {
        assert.ok(command.examples.length > 0);
        for (const example of command.examples) {
          const words = wordsIn(example);
          assert.deepEqual(words.slice(0, name.length), name, example);
          readLine(path, command, words.slice(name.length));
        }
      });
    });
  }

  it('is in the overview, and misspelt is answered with the nearest', async () => {
    const { code, out } = await mesh([]);
    assert.equal(code, 0);
    for (const name of Object.keys(commands)) {
      assert.match(out, new RegExp(`^  ${name} +\\S`, 'm'));
      const wrong = name.length > 3 ? `${name.slice(0, -1)}${name.at(-1) === 'x' ? 'y' : 'x'}` : `${name}x`;
      const refused = await mesh([wrong]);
      assert.deepEqual([refused.code, refused.out], [2, '']);
      assert.match(refused.error, new RegExp(`^there is no command ${wrong}; did you mean mesh `));
    }
    assert.deepEqual(
      (JSON.parse((await mesh(['help', '--json'])).out) as { name: string }[]).map(({ name }) => name).sort(),
      Object.keys(commands).sort(),
    );
  });

  for (const [group, one] of Object.entries(commands)) {
    if (!isGroup(one)) continue;
    it(`below ${group} is listed, and misspelt is answered with the nearest`, async () => {
      const { code, out } = await mesh([group, '--help']);
      assert.equal(code, 0);
      for (const name of Object.keys(one.commands)) {
        assert.match(out, new RegExp(`mesh ${group} ${name} `));
        const refused = await mesh([group, `${name}x`]);
        assert.equal(refused.code, 2);
        assert.match(refused.error, new RegExp(`did you mean mesh ${group} ${name}\\?`));
      }
      if (!one.otherwise) assert.equal((await mesh([group])).code, 2);
    });
  }
});

describe('--json', function () {
  this.timeout(60_000);
  let folder = '';
  let nowhere: string[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    nowhere = ['--url', `http://127.0.0.1:${await freePort()}`];
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const AGENT = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
  const DEAL = '000102030405060708090a0b0c0d0e0f';
  const noConfig = () => ['--config', join(folder, 'none.json')];
  const noLedger = () => ['--rpc-url', nowhere[1]!];
  /** A call of every command that ends by itself, and its exit code. */
  const CALLS: Record<string, () => [args: string[], code: number]> = {
    dev: () => [['--file', join(folder, 'none')], 2],
    localnet: () => [['--rpc-faults', join(folder, 'none')], 2],
    faucet: () => [[AGENT, '--sol', '1', ...noLedger()], 1],
    start: () => [noConfig(), 1],
    stop: () => [['--data-dir', folder], 1],
    'service install': () => [['--print'], 0],
    'service uninstall': () => [['--kind', process.platform === 'darwin' ? 'systemd' : 'launchd'], 1],
    completion: () => [['bash'], 0],
    mcp: () => [['--url', 'http://127.0.0.1:9'], 1],
    check: () => [[], 0],
    plugins: () => [[], 0],
    openapi: () => [['--all-plugins'], 0],
    'new plugin': () => [['Not-Kebab'], 2],
    doctor: () => [['--data-dir', join(folder, 'data'), '--api-addr', '127.0.0.1:0'], 0],
    backup: () => [[join(folder, 'backup'), '--data-dir', folder], 1],
    restore: () => [[join(folder, 'backup'), '--data-dir', folder], 1],
    'verify-score': () => [[join(folder, 'none', 'file')], 1],
    'program deploy': () => [[], 2],
    'program verify': () => [['--program', AGENT, ...noLedger()], 1],
    export: () => [[join(folder, 'none', 'file'), '--data-dir', folder], 1],
    import: () => [[join(folder, 'none', 'file'), '--data-dir', folder], 1],
    init: () => [[join(folder, 'made')], 0],
    status: () => [nowhere, 1],
    logs: () => [[], 1],
    'config show': () => [[], 0],
    send: () => [[AGENT, 'text', ...nowhere], 1],
    propose: () => [[AGENT, 'text', ...nowhere], 1],
    accept: () => [[DEAL, ...nowhere], 1],
    counter: () => [[DEAL, '--amount', '1', ...nowhere], 1],
    reject: () => [[DEAL, ...nowhere], 1],
    lock: () => [[DEAL, ...nowhere], 1],
    deliver: () => [[DEAL, 'text', ...nowhere], 1],
    release: () => [[DEAL, ...nowhere], 1],
    pay: () => [[DEAL, ...nowhere], 1],
    feedback: () => [[DEAL, '80', ...nowhere], 1],
    dispute: () => [[DEAL, ...nowhere], 1],
    contest: () => [[DEAL, ...nowhere], 1],
    refund: () => [[DEAL, ...nowhere], 1],
    identity: () => [nowhere, 1],
    owner: () => [nowhere, 1],
    deals: () => [nowhere, 1],
    inbox: () => [nowhere, 1],
    agents: () => [nowhere, 1],
    skills: () => [nowhere, 1],
    sleep: () => [nowhere, 1],
    wake: () => [nowhere, 1],
    stake: () => [nowhere, 1],
    'stake add': () => [['10', ...nowhere], 1],
    'stake unlock': () => [nowhere, 1],
    'stake resume': () => [nowhere, 1],
    'stake withdraw': () => [nowhere, 1],
    probe: () => [nowhere, 1],
    'probe hire': () => [nowhere, 1],
    wallet: () => [nowhere, 1],
    'wallet history': () => [nowhere, 1],
    'wallet sweep': () => [[AGENT, '10', ...nowhere], 1],
    'wallet pay': () => [['http://127.0.0.1:1/weather', ...nowhere], 1],
    hosted: () => [nowhere, 1],
    'hosted register': () => [['ann', ...nowhere], 1],
    'hosted remove': () => [[AGENT, ...nowhere], 1],
    'hosted token': () => [[AGENT, ...nowhere], 1],
    'hosted credit': () => [[AGENT, '10', ...nowhere], 1],
    token: () => [['--path', '/a', '--data-dir', folder], 1],
  };

  for (const [path] of ALL) {
    it(`of mesh ${path} is one document on standard output, also when it does not work`, async () => {
      const [args, expected] = CALLS[path]!();
      const { code, out, error } = await mesh([...path.split(' '), ...args, '--json']);
      assert.equal(code, expected, `${out}\n${error}`);
      const document = JSON.parse(out);
      if (code === 0) return;
      assert.equal(document.ok, false);
      assert.ok(document.problem.length > 10 && error.startsWith(document.problem), error);
    });
  }
});

describe('a value that is none of its setting’s choices', () => {
  it('is answered with the nearest, by flag and by variable', async () => {
    const said = 'log.level: must be one of debug, info, warn, error, silent; did you mean debug?';
    for (const [args, env] of [
      [['check', '--log-level', 'debgu'], {}],
      [['check'], { NODE_LOG_LEVEL: 'debgu' }],
    ] as const) {
      const { code, error } = await mesh(args, env);
      assert.deepEqual([code, error], [1, said]);
    }
  });
});

describe('commands in the docs', () => {
  const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...markdownIn('docs')];

  it('exist, with the options that are named', async () => {
    let checked = 0;
    const loaded = await Promise.all(Object.values(plugins).map((load) => load()));
    const builtIn = flagsDeclared(loaded.flatMap(({ flags = {} }) => Object.values(flags)));
    for (const page of pages) {
      const text = readFileSync(join(packageRoot, page), 'utf8');
      const known = allFlags([...declaredIn(text), ...builtIn]);
      for (const line of commandsIn(text)) {
        const [name = '', ...rest] = line;
        const one = commands[name];
        assert.ok(one, `${page}: mesh ${line.join(' ')}`);
        const below = isGroup(one) ? (one.commands[rest[0] ?? ''] ?? one.otherwise) : one;
        if (!below) continue;
        const args = isGroup(one) && below !== one.otherwise ? rest.slice(1) : rest;
        try {
          readLine(name, below, args, known);
        } catch (error) {
          // Prose names a command without its words.
          const isProse = error instanceof UsageError && /^\S+ (is missing|needs a value)/.test(error.message);
          assert.ok(isProse, `${page}: mesh ${line.join(' ')}: ${error}`);
        }
        checked += 1;
      }
    }
    assert.ok(checked > 30, `${checked} commands`);
  });

  function markdownIn(folder: string): string[] {
    const entries = readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' });
    return entries.filter((name) => name.endsWith('.md')).map((name) => join(folder, name));
  }

  /** Lines of code that begin with the command, however it is called, and inline code that does. */
  function commandsIn(text: string): string[][] {
    const blocks = [...text.matchAll(/^```\w*[^\n]*\n(.*?)^```/gms)].flatMap(([, block]) =>
      // A line goes on behind a backslash.
      block!.replaceAll(/\\\n\s*/g, '').split('\n'),
    );
    const inline = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
    return [...blocks, ...inline].flatMap((code) => {
      const [, line] =
        /^\s*(?:npm run (?:-s |--silent )?mesh -- |npx mesh |node \S*bin\/mesh\.js |mesh )(.*)$/s.exec(code) ?? [];
      const words = wordsIn(line?.replace(/\s#.*$/s, '') ?? '');
      return words.length === 0 || /[|<…]|\.\.\./.test(words.join('')) || ['COMMAND', 'help'].includes(words[0]!)
        ? []
        : [words];
    });
  }
});

/** The flags that plugins on a page declare. */
function declaredIn(page: string): Flag[] {
  const found = page.matchAll(/flag: '(--[\w-]+)', type: '(\w+)'/g);
  return flagsDeclared(
    [...found].map(([, flag, type]) => ({ flag: flag as `--${string}`, type: type as Flag['type'] })),
  );
}

function flagsDeclared(found: readonly Pick<PluginFlag, 'flag' | 'type'>[]): Flag[] {
  return found.map(({ flag, type }) => ({
    name: flag.slice(2),
    type,
    key: `plugins.page.${flag}`,
    plugin: 'page',
    summary: 'a flag of the page',
  }));
}
