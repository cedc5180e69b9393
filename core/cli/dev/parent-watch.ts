import { readFileSync } from 'node:fs';

/** How often the parent is looked for. */
const LOOK = 500;

/**
 * Calls `gone` once when the npm that started this process has ended: nothing outlives it. Between npm and us there can
 * be a shell, so its parent is watched too, where the system tells it. Without npm nobody is watched: such a process
 * may have been put into the background on purpose. `parent` is the parent when the process began.
 */
export function watchParent(parent: number, gone: () => void): () => void {
  if (process.env['npm_lifecycle_event'] === undefined) return () => {};
  const grandparent = parentOf(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && parentOf(parent) === grandparent) return;
    clearInterval(timer);
    gone();
  }, LOOK);
  timer.unref();
  return () => clearInterval(timer);
}

/** The parent of a process; undefined where there is no /proc. */
function parentOf(pid: number): number | undefined {
  try {
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return Number(parent);
  } catch {
    return undefined;
  }
}
