import type { Contracts } from '../contracts.ts';
import type { Builtins } from '../loader/load.ts';
import type { Port } from '../port.ts';
import type { Settings } from '../ports.ts';
import type { Problem } from '../problem.ts';

/** What this package consists of, put together by the caller: core knows no plugins and no adapters. */
export interface Composition {
  readonly builtins: Builtins;
  /** How core's services are made, given what is configured. */
  readonly ports: (settings: Settings) => readonly Port[];
  /** What is wrong with the settings of the adapters that were chosen. */
  readonly check?: (settings: Settings, folder: string, contracts: Contracts) => Promise<readonly Problem[]>;
}

/** The process around a command. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Resolves when the operator asks the process to end, or the npm that started it is gone. `reload` is called at SIGHUP,
   * where that is not a terminal that was closed.
   */
  untilStopped(reload?: () => void): Promise<void>;
  /** Asks the person in front of it; absent where nobody is. */
  ask?(question: string): Promise<string>;
}

/** Exit codes: 0 done, 1 it did not work, 2 the command line is wrong. */
export type ExitCode = 0 | 1 | 2;

export interface Command {
  readonly summary: string;
  /** One line: the arguments after the command's name. */
  readonly usage: string;
  /** What `--help` prints, for a command that does not take the node's flags. */
  readonly help?: string;
  run(args: readonly string[], composition: Composition, terminal: Terminal): Promise<ExitCode>;
}

/** The command line is wrong; the message says how. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * Takes `--name value`, `--name=value` or, for switches, `--name` out of the arguments; the rest are the node's flags.
 */
export function takeOption(
  args: readonly string[],
  name: string,
  kind: 'text',
): { value: string | undefined; rest: string[] };
export function takeOption(args: readonly string[], name: string, kind: 'switch'): { value: boolean; rest: string[] };
export function takeOption(args: readonly string[], name: string, kind: 'text' | 'switch') {
  const flag = `--${name}`;
  const at = args.findIndex((arg) => arg === flag || (kind === 'text' && arg.startsWith(`${flag}=`)));
  if (at === -1) return { value: kind === 'switch' ? false : undefined, rest: [...args] };
  const found = args[at]!;
  if (kind === 'switch') return { value: true, rest: args.toSpliced(at, 1) };
  if (found !== flag) return { value: found.slice(flag.length + 1), rest: args.toSpliced(at, 1) };
  const value = args[at + 1];
  if (value === undefined || value.startsWith('--')) throw new UsageError(`${flag} needs a value`);
  return { value, rest: args.toSpliced(at, 2) };
}
