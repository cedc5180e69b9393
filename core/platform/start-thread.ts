import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type * as Esbuild from 'esbuild';

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
    ? new Worker(bundled(script), { ...options, eval: true })
    : new Worker(script, options);
  worker.on('message', message).on('error', error).on('exit', exit);
  // A listener would make the thread keep the process alive, unless this comes last.
  worker.unref();
  return worker;
}

/** The scripts of threads as one text each, for all threads of this process. */
const bundles = new Map<string, string>();

/**
 * A script of the sources, put together as the build would. A loader that compiles it in the thread, which inherits none, would take each
 * thread longer to start than most of them run.
 */
function bundled(script: string): string {
  const known = bundles.get(script);
  if (known !== undefined) return known;
  const require = createRequire(script);
  const { buildSync } = require('esbuild') as typeof Esbuild;
  const { outputFiles } = buildSync({
    ...{ entryPoints: [script], bundle: true, write: false, platform: 'node', format: 'cjs', target: 'node20' },
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(script).href) },
  });
  const text = outputFiles[0]!.text;
  bundles.set(script, text);
  return text;
}

function scriptOf(path: string, folder: string): string {
  const file = ['ts', 'js'].map((ending) => join(folder, `${path}.${ending}`)).find((one) => existsSync(one));
  if (file) return file;
  if (folder === dirname(folder)) throw new Error(`agent-mesh: ${path} is missing; reinstall it`);
  return scriptOf(path, dirname(folder));
}
