import { ClientError } from '../client/client-error.ts';
import { type ExitCode, Failure, type Terminal } from './command.ts';

/** What a command has found: for programs, and in lines for people. */
export interface Found {
  readonly found: unknown;
  readonly lines: string;
}

/** Prints what was found, for people or with `--json`; what the other side refuses is a sentence and exit code 1. */
export async function show(
  { options }: { readonly options: { readonly json: boolean } },
  terminal: Terminal,
  ask: () => Promise<Found>,
): Promise<ExitCode> {
  const { found, lines } = await asked(ask);
  terminal.out(options.json ? JSON.stringify(found) : lines);
  return 0;
}

/** The answer of a node or aggregator; what it refuses is a failure that says what to do. */
export async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { code, status, fields } = error;
    throw new Failure(`${error.message}${remedyOf(error)}`, { code, status, ...(fields.length > 0 && { fields }) });
  }
}

function remedyOf({ code, status }: ClientError): string {
  if (code === 'unreachable') return '; is it running? Say where with --url';
  if (status === 401) return '; give its secret with --secret, or its data folder with --data-dir';
  return '';
}
