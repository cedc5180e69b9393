import type { SchemaTypes } from '../../schemas/types.ts';
import { token } from '../platform/token.ts';

/** One event, as `/ws/events` tells it. Those of plugins have the type `plugin` and the `event_type` `plugin/<name>/<event>`. */
export type NodeEvent = Omit<SchemaTypes['node-event'], 'data'> & {
  readonly data: Readonly<Record<string, unknown>>;
};
export type NodeEventType = NodeEvent['type'];

/**
 * Events of the node, live: nothing is kept, and nobody is told of what was before. Telling needs no permission. Of the
 * types that are followed, `envelope` (who writes to whom, not what) needs `messages:read`, and `deal` needs `deals:read`.
 */
export interface Events {
  /**
   * Tells whoever follows `plugin` events, and the clients of `/ws/events`, as `plugin/<this plugin>/<event>`. The event is
   * kebab-case, at most 64 characters; the data is JSON of at most 4 KiB. All of them may be read by other plugins.
   * Throws `invalid_request`, and `rate_limited` beyond 600 in 60 seconds.
   */
  emit(event: string, data?: Readonly<Record<string, unknown>>): void;
  /**
   * Events of these types from now on, until the signal is aborted. Throws `forbidden` at once when one of them needs a permission
   * that the plugin lacks. A reader that falls 1,024 events behind gets a `StreamEnd` with the code `CONSUMER_TOO_SLOW`.
   */
  follow(types: readonly NodeEventType[], signal: AbortSignal): AsyncGenerator<NodeEvent, void>;
}
export const Events = token<Events>('events');
