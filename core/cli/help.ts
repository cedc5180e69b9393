import { loadContracts } from '../contracts/contracts.ts';
import { type Flag, variableOf } from '../host/config/flags.ts';
import {
  COMMON_OPTIONS,
  type Command,
  type CommandGroup,
  type Commands,
  type Options,
  type SwitchOption,
  type TextOption,
} from './command.ts';
import { CONFIG, flagsOf } from './read-line.ts';

const EXIT_CODES = 'Exit codes: 0 done, 1 it did not work, 2 the command line is wrong.';
/** The placeholder that help shows for a flag's value, by the end of the flag's name. */
const PLACEHOLDERS: readonly [RegExp, string][] = [
  [/addr$/, 'ADDRESS'],
  [/urls?$|^hubs$|origins$/, 'URL'],
  [/dir$|workspace$/, 'DIR'],
  [/path$|\bfile$/, 'FILE'],
  [/^max-/, 'USDC'],
  [/id$/, 'ID'],
  [/name$|^profile$/, 'NAME'],
  [/program$|config$|wallet$/, 'ADDRESS'],
  [/secret$|key$/, 'SECRET'],
];

/** All commands, by topic. */
export function overview(commands: Commands, topics: Readonly<Record<string, readonly string[]>>): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const listed = new Set(Object.values(topics).flat());
  const rest = Object.keys(commands).filter((name) => !listed.has(name));
  const sections = Object.entries({ ...topics, ...(rest.length > 0 && { 'More:': rest }) }).map(([topic, names]) => {
    const there = names.filter((name) => Object.hasOwn(commands, name));
    const lines = there.map((name) => `  ${name.padEnd(width)}  ${commands[name]!.summary}`);
    return there.length === 0 ? [] : ['', topic, ...lines];
  });
  return ['mesh COMMAND [options]', ...sections.flat(), '', 'mesh COMMAND --help tells more.'].join('\n');
}

/** One line: how a command is called. */
export function usageOf(path: string, { words = [] }: Command): string {
  const names = words.map(({ name, optional }) => (optional ? `[${name}]` : name));
  return ['mesh', path, ...names, '[options]'].join(' ');
}

export function helpOfGroup(path: string, { summary, commands, otherwise }: CommandGroup): string {
  const lines = Object.entries(commands).map(([name, one]) => [usageOf(`${path} ${name}`, one), one.summary]);
  if (otherwise) lines.unshift([usageOf(path, otherwise), otherwise.summary]);
  return [summary, '', ...columns(lines as [string, string][]), '', `mesh ${path} NAME --help tells more.`].join('\n');
}

/** The whole help of a command, one line an option. */
export function helpOf(path: string, command: Command, known: readonly Flag[]): string {
  const { summary, about, words = [], examples, flags } = command;
  const wordLines = words.map(({ name, summary: what }): [string, string] => [name, what]);
  const optionLines = Object.entries(shownOptions(command, known)).map(([name, option]) => lineOf(name, option));
  const lines = [
    usageOf(path, command),
    '',
    summary,
    ...(about ? ['', about] : []),
    '',
    ...columns([...wordLines, ...optionLines]),
    ...(flags === 'all' ? ['', 'It takes the flags of a node too; mesh start --help lists them.'] : []),
    '',
    examples.length === 1 ? 'Example:' : 'Examples:',
    ...examples.map((example) => `  mesh ${example}`),
    '',
    EXIT_CODES,
  ];
  return lines.join('\n');
}

/** The same for programs. */
export function describeCommand(path: string, command: Command, known: readonly Flag[]): object {
  const { summary, words = [], examples } = command;
  const options = Object.entries(shownOptions(command, known)).map(([name, option]) => ({ name, ...option }));
  return { command: path, usage: usageOf(path, command), summary, words, options, examples };
}

function shownOptions(command: Command, known: readonly Flag[]): Options {
  const { options, flags } = command;
  return { ...options, ...(flags && { config: CONFIG }), ...flagOptions(command, known), ...COMMON_OPTIONS };
}

function lineOf(name: string, option: SwitchOption | TextOption): [string, string] {
  const letter = option.letter === undefined ? '' : `-${option.letter}, `;
  if (option.takes === undefined) return [`${letter}--${name}`, option.summary];
  const notes = [option.variable, option.default === undefined ? undefined : `default ${option.default}`];
  const noted = notes.filter((note) => note !== undefined).join('; ');
  return [`${letter}--${name} ${option.takes}`, `${option.summary}${noted && ` (${noted})`}`];
}

function flagOptions(command: Command, known: readonly Flag[]): Options {
  if (command.flags === 'all') return {};
  const shown = flagsOf(command, known);
  return Object.fromEntries(shown.map((flag) => [flag.name, optionOf(flag)]));
}

function optionOf(flag: Flag): SwitchOption | TextOption {
  const variable = variableOf(flag);
  if (flag.type === 'switch' || flag.type === 'off') return { summary: `${flag.summary} (${variable})` };
  const usual = /\(default /.test(flag.summary) ? undefined : defaultOf(flag.key);
  const listed = flag.type === 'list' ? '; may be repeated' : '';
  return {
    takes: flag.type === 'integer' ? 'N' : (PLACEHOLDERS.find(([end]) => end.test(flag.name))?.[1] ?? 'VALUE'),
    summary: `${flag.summary}${listed}`,
    variable,
    ...(usual !== undefined && { default: usual }),
  };
}

/** The default of a key of plugins.json, by its schema. */
function defaultOf(key: string): string | undefined {
  const document = loadContracts().documents.get('plugins.json') as { $defs?: { settings?: Shape } } | undefined;
  let shape: Shape | undefined = document?.$defs?.settings;
  for (const part of key.split('.')) shape = shape?.properties?.[part];
  const found = shape?.default;
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly default?: unknown;
}

/** Two columns; where the left one is long, the right one follows two spaces behind it all the same. */
function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
