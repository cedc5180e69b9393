/** Those who wait for a log to grow. A wake-up is a hint to look again, never the news itself. */
export class Wakeups {
  readonly #waiting = new Map<string, Set<() => void>>();
  #closed = false;

  wait(log: string, signal: AbortSignal): Promise<void> {
    if (this.#closed || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(log) ?? new Set();
      this.#waiting.set(log, waiting);
      const done = () => {
        waiting.delete(done);
        if (waiting.size === 0 && this.#waiting.get(log) === waiting) this.#waiting.delete(log);
        signal.removeEventListener('abort', done);
        resolve();
      };
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  wake(log: string): void {
    const waiting = this.#waiting.get(log);
    this.#waiting.delete(log);
    for (const done of [...(waiting ?? [])]) done();
  }

  close(): void {
    this.#closed = true;
    for (const log of [...this.#waiting.keys()]) this.wake(log);
  }
}
