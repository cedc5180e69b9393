import { definePlugin, type Plugin } from '../../core/plugin.ts';
import { LocalAgents } from '../../core/services.ts';

/** A plugin that hands out the service it got. */
export function innkeeper(name = 'innkeeper') {
  const got = {} as { agents: LocalAgents };
  const plugin: Plugin = definePlugin({
    name,
    api: '2.0',
    permissions: ['agents:host'],
    node: {
      uses: { agents: LocalAgents },
      setup({ agents }) {
        got.agents = agents;
        return {};
      },
    },
  });
  return { plugin, got };
}
