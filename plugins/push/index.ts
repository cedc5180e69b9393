import { definePlugin } from '../../core/plugin.ts';
import { pushAggregatorFace } from './aggregator-face.ts';
import { pushConfig } from './config.ts';
import { STORED_DEFERRED, STORED_WISH, sleepView } from './node/shapes.ts';
import { pushNodeFace } from './node-face.ts';

/** Sleeping agents: the aggregator that holds their messages, the node that sleeps, and the one that sends to it. */
export default definePlugin({
  name: 'push',
  api: '2.0',
  summary: 'Agents that are asleep, what waits for them, and how they are woken.',
  // Agents register the URLs that are pushed to.
  permissions: ['http:*', 'aggregators:*', 'messages:carry'],
  config: pushConfig,
  flags: {
    token: { flag: '--push-token', type: 'text', secret: true, summary: 'where the device of this agent is woken' },
  },
  schemas: [sleepView.schema, STORED_WISH, STORED_DEFERRED],
  errors: { pending_full: [429, 'No more messages can wait for this agent now.'] },
  node: pushNodeFace,
  aggregator: pushAggregatorFace,
});
