import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Problem } from '../../platform/problem.ts';
import { type Flag, variableOf } from './flags.ts';

/** One value for one key of plugins.json, from a flag or a variable. */
export interface Override {
  readonly flag: Flag;
  /** `--api-secret` or `NODE_API_SECRET`, for messages. */
  readonly source: string;
  readonly explicit: boolean;
  readonly value: unknown;
}

type Result = { overrides: Override[]; problems: Problem[] };

/** Reads the flags of a command line; words that are no flags are a problem. */
export function overridesOfFlags(argv: readonly string[], flags: readonly Flag[]): Result {
  const options = Object.fromEntries(
    flags.map((flag) => [
      flag.name,
      { type: flag.type === 'switch' || flag.type === 'off' ? 'boolean' : 'string', multiple: true } as const,
    ]),
  );
  let values: Record<string, (string | boolean)[] | undefined>;
  try {
    values = parseArgs({ args: [...argv], options, strict: true, allowNegative: true }).values;
  } catch (error) {
    const text = error instanceof Error ? error.message.split('. ')[0] : String(error);
    return { overrides: [], problems: [{ where: 'command line', what: `${text}`, hint: 'see mesh start --help' }] };
  }
  return collect(flags, (flag) => ({ source: `--${flag.name}`, given: values[flag.name], explicit: true }));
}

export function overridesOfVariables(
  env: Readonly<Record<string, string | undefined>>,
  flags: readonly Flag[],
): Result {
  return collect(flags, (flag) => {
    const text = env[variableOf(flag)];
    return { source: variableOf(flag), given: text === undefined || text === '' ? undefined : [text], explicit: false };
  });
}

function collect(
  flags: readonly Flag[],
  read: (flag: Flag) => { source: string; given: (string | boolean)[] | undefined; explicit: boolean },
): Result {
  const overrides: Override[] = [];
  const problems: Problem[] = [];
  for (const flag of flags) {
    const { source, given, explicit } = read(flag);
    if (given === undefined) continue;
    try {
      overrides.push({ flag, source, explicit, value: valueFrom(flag, given) });
    } catch (error) {
      problems.push({ where: source, what: (error as Error).message });
    }
  }
  return { overrides, problems };
}

function valueFrom(flag: Flag, given: readonly (string | boolean)[]): unknown {
  const last = given.at(-1)!;
  switch (flag.type) {
    case 'list':
      return given.flatMap((item) => String(item).split(',')).filter((item) => item !== '');
    case 'switch':
      return truth(last);
    case 'off':
      return !truth(last);
    case 'integer':
      if (!/^\d{1,9}$/.test(String(last))) throw new Error(`must be a whole number, not ${JSON.stringify(last)}`);
      return Number(last);
    default:
      if (given.length > 1) throw new Error('was given more than once');
      return flag.path ? resolve(String(last)) : String(last);
  }
}

function truth(given: string | boolean): boolean {
  if (typeof given === 'boolean') return given;
  if (/^(1|true|yes|on)$/i.test(given)) return true;
  if (/^(0|false|no|off)$/i.test(given)) return false;
  throw new Error(`must be true or false, not ${JSON.stringify(given)}`);
}
