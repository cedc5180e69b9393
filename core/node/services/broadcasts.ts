import type { Inbound } from '../../messaging/inbound.ts';
import { internalToken } from '../../platform/token.ts';

/** Tells of broadcasts as they are heard. What came while nobody listened is in the inbox, if it is kept at all. */
export class HeardBroadcasts {
  readonly #listeners = new Set<(message: Inbound) => void>();

  tell(message: Inbound): void {
    for (const listener of this.#listeners) listener(message);
  }

  /** `listener` must be quick and must not throw. */
  listen(listener: (message: Inbound) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

export const Heard = internalToken<HeardBroadcasts>('heard-broadcasts');
