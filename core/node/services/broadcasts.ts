import type { Inbound } from '../../messaging/inbound.ts';
import { internalToken } from '../../platform/token.ts';

/** Hands each broadcast to its listeners as it is heard. It keeps none: only the inbox may hold earlier broadcasts. */
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
