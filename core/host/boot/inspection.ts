import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Contracts } from '../../contracts/contracts.ts';
import { lineOf } from '../../http/served.ts';
import { Inspection } from '../../internal-services.ts';
import { definePlugin, type Limit, route } from '../../plugin.ts';
import type { Configuration } from '../config/configuration.ts';
import { shownSettings } from './shown-settings.ts';
import type { NodeStatus } from './status.ts';

const READS: Limit = { per: 'principal', rate: 600, window: 60 };

/** What a node is made of, told to whoever shows its secret. */
export const inspection = definePlugin({
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
    },
    setup: ({ inspection: inspected }) => ({
      routes: { plugins: () => inspected.plugins(), settings: () => inspected.settings() },
    }),
  },
});

export function inspectionOf(status: NodeStatus, configuration: Configuration, contracts: Contracts): Inspection {
  return {
    plugins: () => ({ plugins: loadedPlugins(status) }),
    settings: () => ({
      file: configuration.file ?? null,
      settings: shownSettings(configuration, status.plan!, contracts),
    }),
  };
}

/** Every part that came up, and those that were left out, with their states of this moment. */
function loadedPlugins(status: NodeStatus): SchemaTypes['loaded-plugins']['plugins'] {
  const states = status.state().plugins;
  const endpoints = status.plan?.declarations.endpoints ?? [];
  return status.report().plugins.map(({ name, from, version, permissions, detail }) => ({
    name,
    from,
    ...(version !== undefined && { version }),
    ...stateOf(states[name], detail),
    permissions: [...permissions],
    serves: endpoints.filter(({ plugin }) => plugin === name).map(({ endpoint }) => lineOf(endpoint)),
  }));
}

function stateOf(state: { state: string; detail?: string; remedy?: string } | undefined, detail: string | undefined) {
  const told = state ?? { state: 'out', detail };
  return {
    state: told.state as 'ok' | 'degraded' | 'out',
    ...(told.detail !== undefined && { detail: told.detail }),
    ...('remedy' in told && told.remedy !== undefined && { remedy: told.remedy }),
  };
}
