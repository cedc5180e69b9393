import { ClientError } from '../client/client-error.ts';
import { type ExitCode, Failure, type Terminal } from './command.ts';

/** A command's result: as JSON for programs, in lines for people. */
export interface Found {
  readonly found: unknown;
  readonly lines: string;
}

/** The servers that a command can ask, each with the advice for one that does not answer. */
const STARTS = {
  node: 'Start one with mesh start in the folder of its plugins.json, or say where it listens with --url or --api-addr.',
  'node or aggregator':
    'Start one with mesh start, or say where one listens with --url, --api-addr or --aggregator-url.',
} as const;
export type Asked = keyof typeof STARTS;

/** Prints what was found, for people or with `--json`; what the other side refuses is a sentence and exit code 1. */
export async function show(
  { options }: { readonly options: { readonly json: boolean } },
  terminal: Terminal,
  ask: () => Promise<Found>,
  whom: Asked = 'node',
): Promise<ExitCode> {
  const { found, lines } = await asked(ask, whom);
  terminal.out(options.json ? JSON.stringify(found) : lines);
  return 0;
}

/** The answer of a node or aggregator; what it refuses is a failure that says what to do. */
export async function asked<T>(ask: () => Promise<T>, whom: Asked = 'node'): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { code, status, fields } = error;
    const text = code === 'unreachable' ? unanswered(error, whom) : refused(error);
    throw new Failure(text, { code, status, ...(fields.length > 0 && { fields }) }, error);
  }
}

function unanswered({ reason, url }: ClientError, whom: Asked): string {
  // It was there, and may have done what it was asked for.
  if (reason === 'no answer in time')
    return `The ${whom} at ${url} gave no answer in time. It may still do what was asked: look before you ask again.`;
  const why = reason.includes('ECONNREFUSED') ? 'nothing listens there' : reason.replace(/\.$/, '');
  return `No ${whom} answers at ${url}: ${why}. ${STARTS[whom]}`;
}

function refused({ reason, status, fields }: ClientError): string {
  const wrong = fields.map(({ pointer, message }) => `${pointer.slice(1).replaceAll('/', '.') || 'it'} ${message}`);
  const said = wrong.length > 0 ? wrong.join('; ') : reason;
  if (status === 401)
    return 'The node asks for its own API secret; give it with --secret, or its data folder with --data-dir';
  return fields.some(({ pointer }) => pointer === '/recipient') ? `${said}; mesh agents lists the others` : said;
}
