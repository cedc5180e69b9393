import type { Terminal } from './command.ts';

/** The terminal of this process. The second request to stop ends it at once. */
export function processTerminal(): Terminal {
  return {
    env: process.env,
    out: (text) => void process.stdout.write(`${text}\n`),
    error: (text) => void process.stderr.write(`${text}\n`),
    untilStopped: () =>
      new Promise((resolve) => {
        let asked = false;
        const stop = () => {
          if (asked) process.exit(130);
          asked = true;
          resolve();
        };
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
      }),
  };
}
