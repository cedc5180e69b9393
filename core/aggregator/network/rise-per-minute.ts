const MINUTE = 60_000;
/** How far behind a minute a sample may lie. */
const SLACK = 15_000;

/** By how much a total has risen in the last minute, from samples of it; all processes of a store see the same total. */
export class RisePerMinute {
  #samples: { readonly at: number; readonly total: number }[] = [];

  sample(now: number, total: number): void {
    const kept = this.#samples.filter(({ at }) => at > now - MINUTE - SLACK);
    // After a time without samples, the last one from before tells what has come since.
    const before = kept.length === 0 ? this.#samples.slice(-1) : [];
    this.#samples = [...before, ...kept, { at: now, total }];
  }

  /** Until now the total was as it was when it was sampled last. */
  same(now: number): void {
    const last = this.#samples.at(-1);
    if (last) this.sample(now, last.total);
  }

  /** Since the newest sample that is a minute old; less time until there is one. */
  at(now: number, total: number): number {
    const before = this.#samples.findLast(({ at }) => at <= now - MINUTE) ?? this.#samples[0];
    return before ? Math.max(0, total - before.total) : 0;
  }
}
