import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import { StreamEnd } from '../../http/frame.ts';
import { definePlugin, route, stream } from '../../plugin.ts';
import { isOpenTopic } from '../../protocol/envelopes/topics.ts';
import { inboxStream } from '../inbox-stream.ts';
import { OPENINGS, READS, STEPS } from '../limits.ts';
import { InboxService } from '../services/inbox.ts';
import { Topics } from '../topics.ts';

/** Which broadcasts this node hears. */
export const topicsFace = definePlugin({
  name: 'topics',
  api: '2.0',
  summary: 'The topics whose broadcasts this node hears.',
  node: {
    uses: { topics: Topics, inbox: InboxService },
    routes: {
      list: route('GET /topics', {
        auth: 'api-read',
        summary: 'The topics whose broadcasts this node hears.',
        reply: 'topics',
        limit: READS,
      }),
      subscribe: route('PUT /topics/:topic', {
        auth: 'api',
        summary: 'Hears the BROADCASTs of a topic from now on, over restarts too.',
        params: { topic: 'topic-name' },
        reply: 'topics',
        limit: STEPS,
      }),
      unsubscribe: route('DELETE /topics/:topic', {
        auth: 'api',
        summary: 'Hears no more of a topic.',
        params: { topic: 'topic-name' },
        reply: 'topics',
        limit: STEPS,
      }),
      frames: stream('/ws/topics', {
        auth: 'api-read',
        limit: OPENINGS,
        summary:
          'BROADCASTs as they come, of one topic where it is named, which the node hears as long as the stream is open; otherwise of all that it hears.',
        tokenInQuery: true,
        query: 'topics-query',
        frame: 'inbox-stream-frame',
      }),
    },
    setup({ topics, inbox }) {
      function requireHearable(topic: string): void {
        if (Buffer.byteLength(topic) > 64) throw invalidField('/topic', 'has more than 64 bytes');
        // A configured topic may have been left out there, and is asked for like any other.
        if (!isOpenTopic(topic) && !topics.has(topic))
          throw invalidField('/topic', 'is the topic of other message types: name it in mesh.topics');
      }
      function held(topic: string): () => void {
        try {
          requireHearable(topic);
          return topics.hold(topic);
        } catch (error) {
          // The socket is open already, and the fault is that of its query.
          throw error instanceof MeshError ? new StreamEnd(1008, error.message) : error;
        }
      }
      return {
        routes: {
          list: () => ({ topics: topics.list() }),
          async subscribe({ params: { topic } }) {
            requireHearable(topic);
            await topics.add(topic);
            return { topics: topics.list() };
          },
          async unsubscribe({ params: { topic } }) {
            await topics.remove(topic);
            return { topics: topics.list() };
          },
          async *frames({ query: { topic }, ignored, signal }) {
            const release = topic === undefined ? undefined : held(topic);
            try {
              for await (const frame of inboxStream(inbox, { msg_type: 'BROADCAST' }, signal, ignored))
                if (topic === undefined || 'type' in frame || topicIn(frame) === topic) yield frame;
            } finally {
              release?.();
            }
          },
        },
      };
    },
  },
});

function topicIn({ payload }: SchemaTypes['inbox-frame']): unknown {
  return (payload as { topic?: unknown } | null | undefined)?.topic;
}
