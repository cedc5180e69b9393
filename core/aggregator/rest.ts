/** A run that seems to have taken longer has not: the clock was set meanwhile, or the machine slept. */
const LONGEST_RUN = 60_000;

/** Milliseconds for which a job rests after a run, so many times as long as that took: so it keeps to its part of a thread. */
export function restAfter(took: number, times: number): number {
  return times * Math.min(Math.max(took, 0), LONGEST_RUN);
}

/** Such a rest, by a clock that may be set. */
export class Rest {
  readonly #times: number;
  #from = 0;
  #until = 0;

  constructor(times: number) {
    this.#times = times;
  }

  get until(): number {
    return this.#until;
  }

  /** After a run between these moments. */
  begin(began: number, ended: number): void {
    this.#from = ended;
    this.#until = ended + restAfter(ended - began, this.#times);
  }

  /** Also when it has yet to begin: then the clock went back. */
  isOver(now: number): boolean {
    return now >= this.#until || now < this.#from;
  }
}
