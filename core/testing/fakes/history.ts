import type { History, MoneyEvent } from '../../services.ts';

/** Remembers what a plugin adds to the history: `services: [value(History, history)]`. */
export class FakeHistory implements History {
  readonly #events = new Map<string, MoneyEvent>();

  /** The events that were added, oldest first; each key once. */
  get added(): readonly MoneyEvent[] {
    return [...this.#events.values()];
  }

  async add(event: MoneyEvent): Promise<void> {
    if (!this.#events.has(event.key)) this.#events.set(event.key, event);
  }
}
