import { invalidField } from '../../contracts/errors.ts';
import { StreamEnd } from '../../http/frame.ts';
import { definePlugin, route, stream } from '../../plugin.ts';
import { parseMessageName } from '../../protocol/envelopes/message-types.ts';
import { inboxFrame } from '../inbox-frame.ts';
import { ANSWERS, OPENINGS, READS } from '../limits.ts';
import { InboxService } from '../services/inbox.ts';

/** What others have sent to this node's agent. */
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
    setup({ inbox }) {
      /** Whoever waits behind a cursor that was never given would hear nothing for a long time, or for ever. */
      function problemOf(since = 0): string | undefined {
        const { newest } = inbox;
        return since > newest
          ? `is beyond the newest cursor, which is ${newest}: begin at 0 or at most there`
          : undefined;
      }
      return {
        routes: {
          async *frames({ query, ignored, signal }) {
            const ahead = problemOf(query.since);
            if (ahead) throw new StreamEnd(1008, `since ${ahead}`);
            const type = query.msg_type === undefined ? undefined : (parseMessageName(query.msg_type) ?? 'none');
            const conversation = query.conversation_id?.toLowerCase();
            const replays = query.since !== undefined || query.unacked === '1' || query.unacked === 'true';
            const from = replays ? (query.since ?? 0) : inbox.newest;
            if (!replays)
              yield { type: 'inbox', cursor: from, waiting: await inbox.waiting(), ...told(ignored) } as const;
            for await (const record of inbox.tail(from, signal)) {
              if (type !== undefined && record.msg_type !== type) continue;
              if (conversation !== undefined && record.conversation_id !== conversation) continue;
              yield inboxFrame(record);
            }
          },
          async page({ query }) {
            const { since = 0, limit = 50, conversation_id } = query;
            const ahead = problemOf(since);
            if (ahead) throw invalidField('/since', ahead);
            const records = await inbox.page(since, limit, conversation_id?.toLowerCase());
            return { frames: records.map(inboxFrame), next: records.at(-1)?.cursor ?? since };
          },
          acknowledge: ({ body }) => inbox.acknowledge(body.cursor),
        },
      };
    },
  },
});

function told(ignored: readonly string[]): { readonly ignored?: string[] } {
  return ignored.length > 0 ? { ignored: [...ignored] } : {};
}
