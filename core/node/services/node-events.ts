import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Clock } from '../../platform/clock.ts';
import { internalToken } from '../../platform/token.ts';
import { type SharedFrame, sharedFrame } from '../../plugin.ts';

export type NodeEvent = SchemaTypes['node-event'];

/** Hands the node's events to those who watch at that moment. It keeps none. */
export class NodeEvents {
  readonly #clock: Clock;
  readonly #watchers = new Set<(event: SharedFrame<NodeEvent>) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether anybody watches; a costly event need not be put together for nobody. */
  get watched(): boolean {
    return this.#watchers.size > 0;
  }

  emit(
    type: NodeEvent['type'],
    agentId: string | undefined,
    data: Record<string, unknown>,
    event_type: string = type,
  ): void {
    if (!this.watched) return;
    const at = new Date(this.#clock.now()).toISOString();
    const event = sharedFrame({ type, event_type, at, ...(agentId && { agent_id: agentId }), data });
    for (const watcher of this.#watchers) watcher(event);
  }

  /** Tells `watcher` of every event from now on; it must be quick. */
  watch(watcher: (event: SharedFrame<NodeEvent>) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }
}

export const Events = internalToken<NodeEvents>('node-events');
