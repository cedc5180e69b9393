import { inspect } from 'node:util';

/**
 * Ends the process with code 1 when an error was caught by nobody: what is stored is whole at any moment, and a process
 * in an unknown state must not go on. A reader of our output that has gone away, as in `mesh openapi | head`, is no error.
 */
export function endOnFaults(): void {
  const end = (what: string) => (error: unknown) => {
    process.stderr.write(`mesh stops: ${what}: ${inspect(error)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', end('an error that nobody caught'));
  process.on('unhandledRejection', end('a promise that nobody caught'));
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  }
}
