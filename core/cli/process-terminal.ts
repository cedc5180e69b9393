import { createInterface } from 'node:readline/promises';
import type { Terminal } from './command.ts';
import { stopSignals } from './stop-signals.ts';

/** The terminal of this process. */
export function processTerminal(): Terminal {
  return {
    env: process.env,
    out: (text) => void process.stdout.write(`${text}\n`),
    error: (text) => void process.stderr.write(`${text}\n`),
    untilStopped() {
      const { signal } = stopSignals();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
    ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
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
