import { invalidField } from '../../contracts/errors.ts';
import { definePlugin, route } from '../../plugin.ts';
import { isOpenTopic } from '../../protocol/envelopes/topics.ts';
import { READS, STEPS } from '../limits.ts';
import { Topics } from '../topics.ts';

/** Which broadcasts this node hears. */
export const topicsFace = definePlugin({
  name: 'topics',
  api: '2.0',
  summary: 'The topics whose broadcasts this node hears.',
  node: {
    uses: { topics: Topics },
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
    },
    setup({ topics }) {
      return {
        routes: {
          list: () => ({ topics: topics.list() }),
          async subscribe({ params: { topic } }) {
            if (Buffer.byteLength(topic) > 64) throw invalidField('/topic', 'has more than 64 bytes');
            // A configured topic may have been left out there, and is asked for like any other.
            if (!isOpenTopic(topic) && !topics.has(topic))
              throw invalidField('/topic', 'is the topic of other message types: name it in mesh.topics');
            await topics.add(topic);
            return { topics: topics.list() };
          },
          async unsubscribe({ params: { topic } }) {
            await topics.remove(topic);
            return { topics: topics.list() };
          },
        },
      };
    },
  },
});
