import { definePlugin, route } from '../../plugin.ts';
import { Aggregators } from '../aggregators/standings-provider.ts';
import { READS } from '../limits.ts';

/** The aggregators through which others find this agent. */
export const aggregatorsFace = definePlugin({
  name: 'aggregators',
  api: '2.0',
  summary: 'The aggregators that this node reports to.',
  node: {
    uses: { aggregators: Aggregators },
    routes: {
      list: route('GET /aggregators', {
        auth: 'api-read',
        limit: READS,
        summary:
          'The aggregators that this node reports to, and whether each is there and of its network; it looks first.',
        reply: 'aggregators',
      }),
    },
    setup({ aggregators }) {
      return {
        routes: {
          async list() {
            await aggregators.look();
            return aggregators.list();
          },
        },
      };
    },
  },
});
