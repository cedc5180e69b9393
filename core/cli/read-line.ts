import { allFlags, type Flag } from '../host/config/flags.ts';
import { nearestName } from '../platform/nearest-name.ts';
import { type Call, COMMON_OPTIONS, type Command, type Options, type TextOption, UsageError } from './command.ts';

/** The node's flags that a command takes. */
export function flagsOf({ flags = [] }: Command, known: readonly Flag[]): readonly Flag[] {
  return flags === 'all' || flags === 'listed' ? known : known.filter(({ name }) => flags.includes(name));
}

export const CONFIG: TextOption = {
  takes: 'FILE',
  summary: 'the configuration',
  default: 'plugins.json in this folder, else that of the package',
};

/**
 * Reads the words and options behind a command's name: `--name value`, `--name=value`, `--name` for switches, `-x` for
 * letters, and nothing but words behind `--`. An unknown option is a `UsageError` with the nearest name there is.
 */
export function readLine(
  path: string,
  command: Command,
  args: readonly string[],
  known: readonly Flag[] = allFlags(),
): Call {
  const options: Options = { ...command.options, ...(command.flags && { config: CONFIG }), ...COMMON_OPTIONS };
  const flags = new Map(flagsOf(command, known).map((flag) => [flag.name, flag]));
  const given: Record<string, string | boolean> = {};
  const [words, passed]: [string[], string[]] = [[], []];
  const seen = new Set<string>();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') {
      words.push(...rest.splice(0));
      break;
    }
    if (!/^-[-a-zA-Z]/.test(arg)) {
      words.push(arg);
      continue;
    }
    const [, dashed, value] = /^(--?[^=]*)(?:=(.*))?$/s.exec(arg)!;
    const name = nameOf(dashed!, options);
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    const flag = flags.get(name) ?? flags.get(name.replace(/^no-/, ''));
    if (flag?.type !== 'list' && seen.has(name)) throw new UsageError(`${dashed} was given more than once`);
    seen.add(name);
    if (option) {
      given[name] =
        option.takes === undefined ? on(dashed!, value) : chosen(dashed!, valueBehind(dashed!, value, rest), option);
    } else if (flag) {
      const isSwitch = flag.type === 'switch' || flag.type === 'off';
      if (isSwitch) on(dashed!, value);
      passed.push(isSwitch ? dashed! : `${dashed}=${valueBehind(dashed!, value, rest)}`);
    } else throw new UsageError(unknown(dashed!, path, [...Object.keys(options), ...flags.keys()]));
  }
  if (!given['help']) checkWords(words, command);
  const absent = Object.entries(options).map(([name, option]) => [
    name,
    option.takes === undefined ? false : undefined,
  ]);
  const { config: file, ...own } = given;
  return {
    options: { ...Object.fromEntries(absent), ...(command.flags ? own : given) },
    words,
    flags: { argv: passed, ...(command.flags && typeof file === 'string' && { file }) },
  };
}

function nameOf(dashed: string, options: Options): string {
  if (dashed.startsWith('--')) return dashed.slice(2);
  const letter = dashed.slice(1);
  return Object.keys(options).find((name) => options[name]!.letter === letter) ?? dashed;
}

function valueBehind(dashed: string, value: string | undefined, rest: string[]): string {
  const given = value ?? (rest[0]?.startsWith('--') ? undefined : rest.shift());
  if (given === undefined) throw new UsageError(`${dashed} needs a value`);
  return given;
}

function on(dashed: string, value: string | undefined): true {
  if (value !== undefined) throw new UsageError(`${dashed} takes no value`);
  return true;
}

function chosen(dashed: string, value: string, { choices }: { readonly choices?: readonly string[] }): string {
  if (!choices || choices.includes(value)) return value;
  const meant = nearestName(value, choices);
  throw new UsageError(
    `${dashed} takes ${choices.join(', ')}, not ${value}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  );
}

function unknown(dashed: string, path: string, names: readonly string[]): string {
  const meant = nearestName(dashed.replace(/^-+/, ''), names);
  return `${dashed} is not an option of mesh ${path}${meant === undefined ? '' : `; did you mean --${meant}?`}`;
}

function checkWords(words: readonly string[], { words: wanted = [] }: Command): void {
  const missing = wanted.find(({ optional }, at) => !optional && words[at] === undefined);
  if (missing) throw new UsageError(`${missing.name} is missing: ${missing.summary}`);
  if (words.length > wanted.length) throw new UsageError(`it takes no "${words[wanted.length]}"`);
}
