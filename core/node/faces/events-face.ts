import { definePlugin, type SharedFrame, stream, Tail } from '../../plugin.ts';
import { Events, type NodeEvent } from '../services/node-events.ts';

/** What happens on the node, live. */
export const eventsFace = definePlugin({
  name: 'events',
  api: '1.0',
  node: {
    uses: { events: Events },
    routes: {
      events: stream('/ws/events', {
        auth: 'api-read',
        summary: 'Events of the node from now on: envelope, peer, deal, reputation, batch, lease.',
        tokenInQuery: true,
        frame: 'node-event',
      }),
    },
    setup({ events }) {
      return {
        routes: {
          async *events({ signal }) {
            const tail = new Tail<SharedFrame<NodeEvent>>(signal);
            const leave = events.watch((event) => tail.push(event));
            try {
              yield* tail;
            } finally {
              leave();
            }
          },
        },
      };
    },
  },
});
