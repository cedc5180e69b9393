/** Work repeated in the background. Runs never overlap; a throw is logged and counted, and the next run comes. */
export interface Job {
  readonly name: string;
  /** Milliseconds from the end of one run to the start of the next, and of a job with `due` to its earliest start. */
  readonly every: number;
  /** Share of `every` by which each pause varies at random; 0.1 unless said otherwise. */
  readonly jitter?: number;
  /** Milliseconds to the first run; `every` unless said otherwise. */
  readonly first?: number;
  /** Its run is meant to go on until stop. Of any other, a run of more than ten minutes makes the plugin `degraded`, by the job's name. */
  readonly endless?: boolean;
  /**
   * Of several aggregators on one store, one runs it: the writer. Its signal is aborted when another one becomes the writer as well. Two may
   * overlap for a moment, and one that is killed leaves a run half done, so a run must bear both.
   */
  readonly once?: boolean;
  /**
   * Resolves when there may be work again, or the signal is aborted. It is called `every` after a run that did not fail, and the next run
   * starts when it resolves: so a job without work wakes nobody. `Alarm` waits for a moment or a ring, and `storeJob` makes a job that waits
   * for a change of the store. Without it there is always a next run.
   */
  due?(signal: AbortSignal): Promise<void>;
  /** `signal` is aborted at stop. */
  run(signal: AbortSignal): void | Promise<void>;
}
