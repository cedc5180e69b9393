import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Contracts } from '../../contracts/contracts.ts';
import { lineOf } from '../../http/served.ts';
import type { Inspection } from '../../internal-services.ts';
import type { Configuration } from '../config/configuration.ts';
import { shownSettings } from './shown-settings.ts';
import type { NodeStatus } from './status.ts';

/** The parts of this process and its settings, as their operator may see them. */
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
    ...(states[name] ?? { state: 'out' as const, ...(detail !== undefined && { detail }) }),
    permissions: [...permissions],
    serves: endpoints.filter(({ plugin }) => plugin === name).map(({ endpoint }) => lineOf(endpoint)),
  }));
}
