import { BootError } from '../host/boot/report.ts';
import { nearestName } from '../platform/nearest-name.ts';
import { messageOf } from '../platform/problem.ts';
import { VERSION } from '../platform/version.ts';
import { check } from './check.ts';
import { harmless } from './colour.ts';
import {
  type Command,
  type CommandGroup,
  type Commands,
  type Composition,
  type ExitCode,
  Failure,
  isGroup,
  type Terminal,
  UsageError,
} from './command.ts';
import { flagsOnLine } from './configured.ts';
import { describeCommand, helpOf, helpOfGroup, overview, usageOf } from './help.ts';
import { openapi } from './openapi.ts';
import { plugins } from './plugins.ts';
import { readLine } from './read-line.ts';
import { start } from './start.ts';

export type { Command, Commands, Composition, ExitCode, Terminal } from './command.ts';

/** Commands by name; the caller may add its own. */
export const COMMANDS: Commands = { start, check, plugins, openapi };

/** Runs one `mesh` command and gives its exit code. Ends nothing itself. */
export async function runCommand(
  argv: readonly string[],
  composition: Composition,
  around: Terminal,
  commands: Commands = COMMANDS,
  topics: Readonly<Record<string, readonly string[]>> = {},
): Promise<ExitCode> {
  const terminal: Terminal = {
    ...around,
    out: (text) => around.out(harmless(text)),
    error: (text) => around.error(harmless(text)),
  };
  const [first = 'help', ...after] = argv;
  const json = argv.includes('--json');
  if (first === '--version' || first === 'version') {
    terminal.out(json ? JSON.stringify({ version: VERSION }) : VERSION);
    return 0;
  }
  const asksHelp = first === 'help' || first === '--help' || first === '-h';
  const line = asksHelp ? after.filter((arg) => arg !== '--json') : argv;
  if (asksHelp && line.length === 0) {
    terminal.out(json ? JSON.stringify(listOf(commands)) : overview(commands, topics));
    return 0;
  }
  let path = '';
  let usage = 'mesh COMMAND [options]';
  try {
    const named = find(line, commands);
    path = named.path;
    if (isGroup(named.one)) {
      if (!asksHelp && !isHelp(named.rest[0])) throw new UsageError(`say ${namesOf(named.one)}`);
      const { one } = named;
      terminal.out(json ? JSON.stringify(listOf(one.commands)) : helpOfGroup(path, one));
      return 0;
    }
    const { one } = named;
    usage = usageOf(path, one);
    const args = asksHelp ? ['--help'] : named.rest;
    const known = await flagsOnLine(one, args, composition, args.some(isHelp));
    const call = readLine(path, one, args, known);
    if (call.options.help) {
      terminal.out(json ? JSON.stringify(describeCommand(path, one, known)) : helpOf(path, one, known));
      return 0;
    }
    // A UsageError of the command itself names the right use, so the general usage is left out.
    usage = '';
    return await one.run(call, composition, terminal);
  } catch (error) {
    return told(error, usage, { json, verbose: argv.includes('--verbose') }, terminal);
  }
}

interface Named {
  readonly path: string;
  readonly one: Command | CommandGroup;
  readonly rest: readonly string[];
}

/** The command that a line names, and what stands behind its name. */
function find([name = '', ...rest]: readonly string[], commands: Commands): Named {
  const one = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!one) throw new UsageError(`there is no command ${name}${meant('mesh', name, commands)}`);
  if (!isGroup(one)) return { path: name, one, rest };
  const [next, ...others] = rest;
  const below = next !== undefined && Object.hasOwn(one.commands, next) ? one.commands[next] : undefined;
  if (below) return { path: `${name} ${next}`, one: below, rest: others };
  const isWord = next !== undefined && !next.startsWith('-');
  if (isWord) throw new UsageError(`there is no mesh ${name} ${next}${meant(`mesh ${name}`, next, one.commands)}`);
  return { path: name, one: one.otherwise && !isHelp(next) ? one.otherwise : one, rest };
}

function isHelp(arg: string | undefined): boolean {
  return arg === '--help' || arg === '-h';
}

function meant(before: string, name: string, commands: Readonly<Record<string, unknown>>): string {
  const near = nearestName(name, Object.keys(commands));
  return near === undefined ? `; see mesh help` : `; did you mean ${before} ${near}?`;
}

function namesOf({ commands }: CommandGroup): string {
  return Object.keys(commands).join(' or ');
}

function listOf(commands: Commands) {
  return Object.entries(commands).map(([name, { summary }]) => ({ name, summary }));
}

/** Prints the fault on standard error, with `--json` also as one document, and gives the exit code. */
function told(
  error: unknown,
  usage: string,
  { json, verbose }: { readonly json: boolean; readonly verbose: boolean },
  terminal: Terminal,
): ExitCode {
  terminal.progress?.('');
  const problem = messageOf(error);
  if (json) {
    const facts = error instanceof Failure ? error.facts : error instanceof BootError ? error.report : {};
    terminal.out(JSON.stringify({ ...facts, ok: false, problem }));
  }
  terminal.error(problem);
  if (error instanceof UsageError) {
    if (usage !== '') terminal.error(`usage: ${usage}`);
    return 2;
  }
  if (verbose) for (const stack of stacksOf(error)) terminal.error(stack);
  else if (!(error instanceof Failure || error instanceof BootError))
    terminal.error(`--verbose shows where this comes from`);
  return 1;
}

/** Where an error and what caused it come from; of a failed boot, where each of its problems does. */
function stacksOf(error: unknown): string[] {
  if (error instanceof BootError) return error.problems.flatMap(({ stack }) => stack ?? []);
  if (!(error instanceof Error)) return [];
  return [error.stack ?? error.message, ...(error.cause === undefined ? [] : stacksOf(error.cause))];
}
