import { createInterface } from 'node:readline/promises';
import type { Terminal } from './command.ts';
import { watchParent } from './dev/parent-watch.ts';
import { stopSignals } from './stop-signals.ts';

/** The terminal of this process; `isOrphan` is true once the processes that started it have ended. */
export function processTerminal(isOrphan: () => boolean): Terminal {
  return {
    env: process.env,
    out: (text) => void process.stdout.write(`${text}\n`),
    error: (text) => void process.stderr.write(`${text}\n`),
    untilStopped(reload) {
      const { signal } = stopSignals(process.stdin.isTTY ? undefined : reload);
      return new Promise((resolve) => {
        const unwatch = watchParent(isOrphan, resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
        signal.addEventListener('abort', unwatch, { once: true });
      });
    },
    input: process.stdin,
    colours: showsColours(process.env, process.stdout.isTTY),
    ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
    ...(process.stderr.isTTY && { progress }),
  };
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const left = new AbortController();
  lines.on('SIGINT', () => left.abort(new Error('Stopped; nothing was sent.')));
  lines.on('close', () => left.abort(new Error('Nobody answered; nothing was sent.')));
  try {
    return await lines.question(question, { signal: left.signal });
  } catch (error) {
    throw left.signal.reason ?? error;
  } finally {
    lines.close();
  }
}

/** https://no-color.org: a variable that is set and not empty turns them off. */
export function showsColours(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0';
  return isTerminal && env['TERM'] !== 'dumb';
}

/** Goes to the beginning of the line, clears it and writes. */
function progress(text: string): void {
  process.stderr.write(`\r\u001B[2K${text}`);
}
