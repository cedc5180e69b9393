const MINUTE = 60_000;

/** By how much a total has risen in the last minute, from samples of it; all processes of a store see the same total. */
export class RisePerMinute {
  #samples: { readonly at: number; readonly total: number }[] = [];

  /** Samples may lie far apart: those that are a minute old are needed no more, but for the newest of them. */
  sample(now: number, total: number): void {
    const newest = this.#samples.findLastIndex(({ at }) => at <= now - MINUTE);
    this.#samples = [...this.#samples.slice(Math.max(0, newest)), { at: now, total }];
  }

  /** Since the newest sample that is a minute old; less time until there is one. */
  at(now: number, total: number): number {
    const before = this.#samples.findLast(({ at }) => at <= now - MINUTE) ?? this.#samples[0];
    return before ? Math.max(0, total - before.total) : 0;
  }
}
