const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Where nobody sits in front of it, SIGHUP is no terminal that was closed. */
const RELOADING = ['SIGINT', 'SIGTERM'] as const;
/** Ctrl-C under npm reaches the process twice, from the terminal and from npm; only a later one is a second request. */
const SAME_REQUEST = 1_000;

/**
 * Aborted when the operator asks the process to end, by Ctrl-C or a signal. A second request, for those who do not want
 * to wait, ends the process at once with the exit code 130. With `reload`, SIGHUP calls it and ends nothing.
 */
export function stopSignals(reload?: () => void): { readonly signal: AbortSignal; end(): void } {
  const names = reload ? RELOADING : STOPPING;
  const controller = new AbortController();
  let asked = 0;
  const stop = (name: NodeJS.Signals) => {
    if (!controller.signal.aborted) {
      asked = performance.now();
      controller.abort(new Error(name));
    } else if (performance.now() - asked > SAME_REQUEST) process.exit(130);
  };
  for (const name of names) process.on(name, stop);
  if (reload) process.on('SIGHUP', reload);
  return {
    signal: controller.signal,
    end() {
      for (const name of names) process.off(name, stop);
      if (reload) process.off('SIGHUP', reload);
    },
  };
}
