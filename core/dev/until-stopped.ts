/** How often the parent is looked for. */
const LOOK = 500;

/**
 * Aborted by Ctrl-C or SIGTERM, and when the npm that started this process is gone: nothing outlives it. A second
 * Ctrl-C ends the process at once.
 */
export function untilStopped(): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const parent = process.ppid;
  const stop = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Error(name));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  const watch = setInterval(() => {
    if (process.env['npm_lifecycle_event'] !== undefined && process.ppid !== parent)
      controller.abort(new Error('parent gone'));
  }, LOOK);
  watch.unref();
  return {
    signal: controller.signal,
    end() {
      clearInterval(watch);
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, stop);
    },
  };
}
