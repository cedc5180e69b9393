/** How often the parent is looked for. */
const LOOK = 500;

/**
 * Calls `gone` once when the npm that started this process has ended: nothing outlives it. Without npm nobody is watched:
 * such a process may have been put into the background on purpose. `isOrphan` is true once the parents have ended.
 */
export function watchParent(isOrphan: () => boolean, gone: () => void): () => void {
  if (process.env['npm_lifecycle_event'] === undefined) return () => {};
  const timer = setInterval(() => {
    if (!isOrphan()) return;
    clearInterval(timer);
    gone();
  }, LOOK);
  timer.unref();
  return () => clearInterval(timer);
}
