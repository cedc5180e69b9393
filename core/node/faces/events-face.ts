import { definePlugin, type SharedFrame, stream, Tail } from '../../plugin.ts';
import { OPENINGS } from '../limits.ts';
import { Scores } from '../score-watch.ts';
import { Events, type NodeEvent } from '../services/node-events.ts';

/** Streams the events of the node, live. */
export const eventsFace = definePlugin({
  name: 'events',
  api: '2.0',
  summary: 'What happens on this node, as it happens.',
  node: {
    uses: { events: Events, scores: Scores },
    routes: {
      events: stream('/ws/events', {
        auth: 'api-read',
        limit: OPENINGS,
        summary: 'Events of the node from now on: envelope, peer, deal, reputation, batch, lease, plugin.',
        tokenInQuery: true,
        frame: 'node-event',
      }),
    },
    setup({ events, scores }) {
      return {
        routes: {
          async *events({ signal }) {
            const tail = new Tail<SharedFrame<NodeEvent>>(signal);
            const leave = events.watch((event) => tail.push(event));
            const rest = scores.watch();
            try {
              yield* tail;
            } finally {
              rest();
              leave();
            }
          },
        },
      };
    },
  },
});
