import { Tail } from '../../plugin.ts';
import type { Events, NodeEvent, NodeEventType } from '../../services.ts';

/** Remembers what a plugin tells, and tells it what a test says: `services: [value(Events, events)]`. */
export class FakeEvents implements Events {
  /** The events that the plugin told, oldest first. */
  readonly told: { readonly event: string; readonly data: Readonly<Record<string, unknown>> }[] = [];
  readonly #followers = new Set<(event: NodeEvent) => void>();

  emit(event: string, data: Readonly<Record<string, unknown>> = {}): void {
    this.told.push({ event, data });
  }

  /** Tells whoever follows the type of this event. */
  happen(event: NodeEvent): void {
    for (const follower of this.#followers) follower(event);
  }

  follow(types: readonly NodeEventType[], signal: AbortSignal): AsyncGenerator<NodeEvent, void> {
    const tail = new Tail<NodeEvent>(signal);
    const follower = (event: NodeEvent) => types.includes(event.type) && tail.push(event);
    this.#followers.add(follower);
    signal.addEventListener('abort', () => this.#followers.delete(follower), { once: true });
    return tail[Symbol.asyncIterator]();
  }
}
