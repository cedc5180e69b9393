import { definePlugin, route, stream } from '../../plugin.ts';
import { inboxPage, inboxStream } from '../inbox-stream.ts';
import { ANSWERS, OPENINGS, READS } from '../limits.ts';
import { InboxService } from '../services/inbox.ts';

/** Shows what others have sent to this node's agent. */
export const inboxFace = definePlugin({
  name: 'inbox',
  api: '2.0',
  summary: 'Envelopes that others sent to this agent.',
  node: {
    uses: { inbox: InboxService },
    routes: {
      frames: stream('/ws/inbox', {
        auth: 'api-read',
        limit: OPENINGS,
        summary:
          'Inbound envelopes as they come, after a first frame that says how many wait; with `since` or `unacked` those that wait come first.',
        tokenInQuery: true,
        query: 'inbox-query',
        frame: 'inbox-stream-frame',
      }),
      page: route('GET /inbox', {
        auth: 'api-read',
        limit: READS,
        summary: 'Inbound envelopes behind a cursor, for clients without WebSockets.',
        query: 'inbox-page-query',
        reply: 'inbox-page',
      }),
      acknowledge: route('POST /inbox/ack', {
        auth: 'api',
        limit: ANSWERS,
        summary: 'Forgets the frames up to a cursor.',
        body: 'inbox-ack',
      }),
    },
    setup: ({ inbox }) => ({
      routes: {
        frames: ({ query, ignored, signal }) => inboxStream(inbox, query, signal, ignored),
        page: ({ query }) => inboxPage(inbox, query),
        acknowledge: ({ body }) => inbox.acknowledge(body.cursor),
      },
    }),
  },
});
