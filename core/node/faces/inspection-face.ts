import { Inspection } from '../../internal-services.ts';
import { definePlugin, route } from '../../plugin.ts';
import { READS, STEPS } from '../limits.ts';

/** The parts and settings of this node, told to whoever shows its secret. */
export const inspectionFace = definePlugin({
  name: 'inspection',
  api: '2.0',
  summary: 'The plugins and the settings of this node, for its operator.',
  node: {
    uses: { inspection: Inspection },
    routes: {
      plugins: route('GET /plugins', {
        auth: 'api-secret',
        limit: READS,
        summary:
          'The parts and plugins of this node: where each is from, how it is, what it may do and what it serves.',
        reply: 'loaded-plugins',
      }),
      settings: route('GET /settings', {
        auth: 'api-secret',
        limit: READS,
        summary: 'The settings this node was started with, and where each value is from; secrets are hidden.',
        reply: 'shown-settings',
      }),
      change_settings: route('PATCH /settings', {
        auth: 'api-secret',
        limit: STEPS,
        summary:
          'Changes settings that do not decide identity, data, money, trust or doors; the data folder keeps them, and the answer says which wait for a restart.',
        body: 'setting-changes',
        reply: 'changed-settings',
      }),
    },
    setup: ({ inspection }) => ({
      routes: {
        plugins: () => inspection.plugins(),
        settings: () => inspection.settings(),
        change_settings: ({ body: { settings } }) => inspection.change(settings),
      },
    }),
  },
});
