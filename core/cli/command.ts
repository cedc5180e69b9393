import type { Contracts } from '../contracts/contracts.ts';
import type { Builtins } from '../host/loader/load.ts';
import type { Settings } from '../internal-services.ts';
import type { Problem } from '../platform/problem.ts';
import type { Provider } from '../provider.ts';

/** The package's plugins and adapters, put together by the caller: core knows none of them. */
export interface Composition {
  readonly builtins: Builtins;
  /** How core's services are made, given what is configured. */
  readonly providers: (settings: Settings) => readonly Provider[];
  /** Finds the problems in the settings of the adapters that were chosen. */
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
  /** Shows how far long work is, in one line that is written over; an empty text clears it. Absent where nobody looks. */
  progress?(text: string): void;
  /** Standard input, for a command that a program speaks with. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Whether standard output shows colours. */
  readonly colours?: boolean;
}

/** Exit codes: 0 done, 1 it did not work, 2 the command line is wrong. */
export type ExitCode = 0 | 1 | 2;

/** An option that is there or not. */
export interface SwitchOption {
  readonly takes?: undefined;
  readonly summary: string;
  /** The same as one letter: `f` for `-f`. */
  readonly letter?: string;
}

/** An option with a value, for which `takes` stands in the help. */
export interface TextOption {
  readonly takes: string;
  readonly summary: string;
  readonly letter?: string;
  /** The value that holds without the option, in words for the help. */
  readonly default?: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** The environment variable that says the same. */
  readonly variable?: string;
}

export type Options = Readonly<Record<string, SwitchOption | TextOption>>;

/** The values given for declared options. */
export type Given<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends { readonly takes: string } ? string | undefined : boolean;
};

/** A word of the command line that is no option. */
export interface Word {
  /** In capitals, as in the help. */
  readonly name: string;
  readonly summary: string;
  readonly optional?: true;
}

/** Options of every command. */
export const COMMON_OPTIONS = {
  json: { summary: 'one JSON document on standard output, for programs' },
  verbose: { summary: 'show where an error comes from' },
  help: { letter: 'h', summary: 'show this text' },
} as const satisfies Options;

/** The node's flags on a command line, and the file of `--config`. */
export interface NodeFlags {
  readonly file?: string;
  readonly argv: readonly string[];
}

/** A command line as it was read. */
export interface Call<O extends Options = any> {
  readonly options: Given<O> & Given<typeof COMMON_OPTIONS>;
  readonly words: readonly string[];
  readonly flags: NodeFlags;
}

export interface CommandSpec<O extends Options> {
  readonly summary: string;
  /** Paragraphs of the help below the summary. */
  readonly about?: string;
  readonly words?: readonly Word[];
  readonly options: O;
  /** The flags of `mesh start` that it takes besides `--config`; `listed` shows them all in the help. */
  readonly flags?: 'all' | 'listed' | readonly string[];
  /** Command lines that work, without `mesh`. */
  readonly examples: readonly string[];
  run(call: Call<O>, composition: Composition, terminal: Terminal): Promise<ExitCode>;
}

export type Command = CommandSpec<any>;

/** Commands below a word, such as `mesh program deploy`. */
export interface CommandGroup {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Command>>;
  /** The command that runs when none of them is named. */
  readonly otherwise?: Command;
}

export type Commands = Readonly<Record<string, Command | CommandGroup>>;

/** A command whose options are typed by their declaration. */
export function command<const O extends Options>(spec: CommandSpec<O>): Command {
  return spec;
}

export function isGroup(one: Command | CommandGroup): one is CommandGroup {
  return 'commands' in one;
}

/** The command line is wrong; the message says how. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** It did not work; the message says why and what helps. `facts` are its members in JSON. */
export class Failure extends Error {
  override name = 'Failure';
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.facts = facts;
  }
}
