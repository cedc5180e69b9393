import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ThreadScript {
  readonly script: string;
  /** A thread of the sources does not inherit the loader that runs them. */
  readonly loader: { readonly execArgv?: string[] };
}

/**
 * What runs in a thread, by its path from the root of the package without its ending. A bundle may put whoever asks
 * anywhere above or beside it, but the script keeps its path.
 */
export function threadScript(path: string): ThreadScript {
  const script = found(path, dirname(fileURLToPath(import.meta.url)));
  return { script, loader: script.endsWith('.ts') ? { execArgv: ['--import', 'tsx'] } : {} };
}

function found(path: string, folder: string): string {
  const file = ['ts', 'js'].map((ending) => join(folder, `${path}.${ending}`)).find((one) => existsSync(one));
  if (file) return file;
  if (folder === dirname(folder)) throw new Error(`agent-mesh: ${path} is missing; reinstall it`);
  return found(path, dirname(folder));
}
