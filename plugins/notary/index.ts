import { definePlugin, PLUGIN_API } from '../../core/plugin.ts';
import { notaryFace } from './node-face.ts';

/** Finding a notary, assigning it, and being one. */
export const notary = definePlugin({
  name: 'notary',
  api: PLUGIN_API,
  summary: 'Judging deals as a notary, and asking one.',
  permissions: ['deals:judge', 'deals:read', 'messages:gate', 'messages:send'],
  node: notaryFace,
});
