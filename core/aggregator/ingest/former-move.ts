import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { StorageError } from '../../storage/adapter.ts';
import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import { moveFormerNonces } from './former-nonces.ts';

export interface FormerMoveParts {
  readonly space: Space;
  readonly epochs: Epochs;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the aggregator begins to stop; the next start goes on. */
  readonly signal: AbortSignal;
}

const MOVING =
  'the nonces of an earlier release are being moved, and nothing can be told apart from what was reported before';
const RETRY_MS = 1_000;

/** The move of an earlier release's nonces, which takes minutes where there are millions: until it is over nothing is taken in. */
export class FormerMove {
  readonly done: Promise<void>;
  #isOver = false;

  private constructor(parts: FormerMoveParts) {
    this.done = this.#run(parts);
  }

  static begin(parts: FormerMoveParts): FormerMove {
    return new FormerMove(parts);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The same function, which rejects with a StorageError until the move is over: then its caller tries again. */
  gate<A extends unknown[], R>(take: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
    return (...args) => (this.#isOver ? take(...args) : Promise.reject(new StorageError('unavailable', MOVING)));
  }

  async #run({ space, epochs, clock, log, signal }: FormerMoveParts): Promise<void> {
    while (!this.#isOver && !signal.aborted) {
      try {
        const nonces = await moveFormerNonces(space, epochs, signal);
        if (nonces > 0) log.info({ nonces }, 'nonces of an earlier release lie together by epoch now');
        this.#isOver = !signal.aborted;
      } catch (error) {
        log.error({ err: error }, 'the nonces of an earlier release could not be moved');
        await clock.sleep(RETRY_MS, signal).catch(() => {});
      }
    }
  }
}
