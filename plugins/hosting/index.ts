import { definePlugin } from '../../core/plugin.ts';
import { hostingAggregatorFace } from './aggregator-face.ts';
import { hostingConfig } from './config.ts';
import { hostingNodeFace } from './node-face.ts';
import { storedSchemas } from './records.ts';

/** Nodes that run agents for clients elsewhere, and the directory of such nodes on the aggregator. */
export default definePlugin({
  name: 'hosting',
  api: '2.1',
  summary: 'Nodes that host agents for others.',
  // A host calls its aggregators. No call is made to the addresses that hosts register; they are held against the filter of calls.
  permissions: ['agents:host', 'http:*'],
  config: hostingConfig,
  schemas: storedSchemas,
  errors: {
    hosting_off: [404, 'This node hosts no agents.'],
    host_full: [503, 'This host takes no more agents now.'],
  },
  flags: {
    hostAgents: { flag: '--hosting', type: 'switch', summary: 'host agents for others' },
    feeBps: {
      flag: '--hosting-fee-bps',
      type: 'integer',
      summary: 'fee of a hosted message in basis points; 50 means 0.5 %',
    },
    hostingSecret: {
      flag: '--hosting-secret',
      type: 'text',
      secret: true,
      summary: 'the secret that hosts share with the aggregator',
    },
  },
  node: hostingNodeFace,
  aggregator: hostingAggregatorFace,
});
