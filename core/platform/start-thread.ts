import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** The handlers of a thread's events. */
export interface ThreadEvents {
  readonly message: (message: any) => void;
  readonly error: (error: unknown) => void;
  readonly exit: () => void;
}

/**
 * Starts a thread with a script, named by its path from the root of the package without its ending. A bundle may move
 * the calling code anywhere above or beside the script, but the script keeps its path. The thread keeps no process
 * alive.
 */
export function startThread(path: string, { message, error, exit }: ThreadEvents, options: WorkerOptions = {}): Worker {
  const script = scriptOf(path, dirname(fileURLToPath(import.meta.url)));
  const worker = script.endsWith('.ts')
    ? new Worker(loaded(script), { ...options, eval: true })
    : new Worker(script, options);
  worker.on('message', message).on('error', error).on('exit', exit);
  // A listener would make the thread keep the process alive, unless this comes last.
  worker.unref();
  return worker;
}

/** A thread of the sources does not inherit the loader that runs them, nor takes it as an argument on every Node. */
function loaded(script: string): string {
  const file = JSON.stringify(script);
  return `const load = require('node:module').createRequire(${file}); load('tsx/cjs'); load(${file});`;
}

function scriptOf(path: string, folder: string): string {
  const file = ['ts', 'js'].map((ending) => join(folder, `${path}.${ending}`)).find((one) => existsSync(one));
  if (file) return file;
  if (folder === dirname(folder)) throw new Error(`agent-mesh: ${path} is missing; reinstall it`);
  return scriptOf(path, dirname(folder));
}
