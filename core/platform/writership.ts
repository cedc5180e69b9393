/**
 * Whether this process is the writer of its store. Of several processes on one store one is: work that is to be done once is
 * done there, and so is what writes most. It makes them faster and is never needed for a right result, since every
 * transaction checks the versions of what it read.
 */
export interface Writership {
  readonly isWriter: boolean;
  /** Resolves when this process is the writer, with a signal that is aborted when another one may be. Rejects when `stop` is aborted. */
  term(stop: AbortSignal): Promise<AbortSignal>;
}

/** That of the only process on a store: its term ends with it, and no run of a job makes a signal of its own. */
export const ONLY_PROCESS: Writership = {
  isWriter: true,
  term: async (stop) => stop,
};
