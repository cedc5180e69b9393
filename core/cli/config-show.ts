import { loadContracts } from '../contracts/contracts.ts';
import { type Configuration, readConfiguration } from '../host/config/configuration.ts';
import { describeProblem } from '../platform/problem.ts';
import { shownUrl } from '../platform/shown-url.ts';
import { type CommandGroup, command } from './command.ts';
import { sourceOf } from './configured.ts';
import { table } from './table.ts';

const HIDDEN = '(hidden)';
const SECRET = /secret|token|password|passphrase|credential|(api|private|partner)_?key$/i;

interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly source: string;
}

const show = command({
  summary: 'Shows what is in force, and where each value comes from; secrets are hidden.',
  about: 'A value comes from a flag, a variable, the file or, where none of them says anything, from what is usual.',
  options: {},
  flags: 'all',
  examples: ['config show', 'config show --config node.json --log-level debug'],
  async run({ options, flags }, _, terminal) {
    const found = readConfiguration(sourceOf(flags, terminal), loadContracts());
    const settings = settingsIn(found);
    const { file, problems } = found;
    if (options.json) terminal.out(JSON.stringify({ ok: problems.length === 0, file, settings, problems }));
    else {
      const rows = settings.map(({ key, value, source }) => [key, textOf(value), source]);
      terminal.out(table([['SETTING', 'VALUE', 'FROM'], ...rows]));
    }
    for (const problem of problems) terminal.error(describeProblem(problem));
    return problems.length === 0 ? 0 : 1;
  },
});

export const config: CommandGroup = {
  summary: 'Shows the configuration that is in force, and where each value comes from.',
  commands: { show },
};

function settingsIn(found: Configuration): Setting[] {
  const { $schema: _, ...settings } = found.settings as Record<string, unknown>;
  return leavesOf(settings, []).map(([path, value]) => {
    const { source, isReference } = originOf(path, found);
    const isSecret = isReference || SECRET.test(path.at(-1)!);
    return { key: path.join('.'), value: isSecret ? HIDDEN : withoutCredentials(value, path), source };
  });
}

/** Every value that is no object with members, with the names that lead to it. */
function leavesOf(value: unknown, path: readonly string[]): [path: readonly string[], value: unknown][] {
  if (!isObject(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) =>
    isObject(inner) && Object.keys(inner).length === 0 ? [] : leavesOf(inner, [...path, name]),
  );
}

function originOf(path: readonly string[], { given, overrides, file }: Configuration) {
  const override = overrides.findLast(({ flag }) => flag.key === path.join('.'));
  if (override) return { source: override.source, isReference: false };
  let at: unknown = given;
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return { source: 'default', isReference: false };
    at = at[name];
  }
  const reference = isObject(at) ? Object.entries(at).find(([name]) => name === '$env' || name === '$file') : undefined;
  const where = file ?? 'the configuration';
  return { source: reference ? `${where}, ${reference.join(' ')}` : where, isReference: reference !== undefined };
}

/** URLs carry keys as user, query or, at RPCs, as path. */
function withoutCredentials(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutCredentials(item, path));
  if (typeof value !== 'string' || !/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || !URL.canParse(value)) return value;
  return shownUrl(value, path[0] === 'ledger');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
