import { definePlugin, PLUGIN_API } from '../../core/plugin.ts';
import { ownershipFace } from './aggregator/face.ts';
import { ownershipConfig } from './config.ts';
import { ownerFace } from './node/face.ts';

/** Which wallet owns which agent. */
export const ownership = definePlugin({
  name: 'ownership',
  api: PLUGIN_API,
  summary: 'Which wallet owns which agent.',
  permissions: ['owner-links'],
  config: ownershipConfig,
  node: ownerFace,
  aggregator: ownershipFace,
});
