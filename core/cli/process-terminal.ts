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
  };
}
