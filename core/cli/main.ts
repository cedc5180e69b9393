import { flagsWith, variableOf } from '../config/flags.ts';
import { VERSION } from '../version.ts';
import { check } from './check.ts';
import { type Command, type Composition, type ExitCode, type Terminal, UsageError } from './command.ts';
import { openapi } from './openapi.ts';
import { plugins } from './plugins.ts';
import { start } from './start.ts';

export type { Command, Composition, ExitCode, Terminal } from './command.ts';

/** Commands by name; the caller may add its own. */
export const COMMANDS: Readonly<Record<string, Command>> = { start, check, plugins, openapi };

/** Runs one `mesh` command and gives its exit code. Ends nothing itself. */
export async function runCommand(
  argv: readonly string[],
  composition: Composition,
  terminal: Terminal,
  commands: Readonly<Record<string, Command>> = COMMANDS,
): Promise<ExitCode> {
  const [name = 'help', ...args] = argv;
  if (name === '--version' || name === 'version') {
    terminal.out(VERSION);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (name === 'help' || name === '--help' || (command && args.includes('--help'))) {
    terminal.out(command ? helpOf(name, command, composition) : overview(commands));
    return 0;
  }
  if (!command) {
    terminal.error(`there is no command ${name}; see mesh help`);
    return 2;
  }
  try {
    return await command.run(args, composition, terminal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.error(`${error.message}; usage: mesh ${name} ${command.usage}`);
    return 2;
  }
}

function overview(commands: Readonly<Record<string, Command>>): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return ['mesh <command>', ...lines, 'mesh <command> --help tells more'].join('\n');
}

function helpOf(name: string, { summary, usage, help }: Command, { builtins }: Composition): string {
  if (help !== undefined) return help;
  const flags = flagsWith(builtins.plugins).map((flag) => `  --${flag.name} (${variableOf(flag)}): ${flag.summary}`);
  return [`mesh ${name} ${usage}`, summary, 'flags:', ...flags].join('\n');
}
