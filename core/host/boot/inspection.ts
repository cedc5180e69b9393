import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Contracts } from '../../contracts/contracts.ts';
import { lineOf } from '../../http/served.ts';
import type { Inspection } from '../../internal-services.ts';
import type { Configuration, ConfigurationSource } from '../config/configuration.ts';
import type { Reloaded } from './reload.ts';
import { SettingChanges } from './setting-changes.ts';
import { shownSettings } from './shown-settings.ts';
import type { NodeStatus } from './status.ts';

export interface Inspected {
  readonly status: NodeStatus;
  readonly configuration: Configuration;
  readonly source: ConfigurationSource;
  readonly contracts: Contracts;
  /** In force at this moment. */
  readonly level: () => string;
  readonly reload: () => Promise<Reloaded>;
}

/** The parts of this process and its settings, as their operator may see and change them. */
export function inspectionOf({ status, configuration, source, contracts, level, reload }: Inspected): Inspection {
  const changes = new SettingChanges({
    ...{ configuration, source, contracts, reload },
    shown: (kept) =>
      shownSettings(configuration, status.plan!, contracts, kept).map((row) =>
        row.key === 'log.level' ? { ...row, value: level() } : row,
      ),
  });
  return {
    plugins: () => ({ plugins: loadedPlugins(status) }),
    settings: () => ({
      file: configuration.file ?? null,
      kept: configuration.kept.file,
      settings: [...changes.settings()],
    }),
    change: (wanted) => changes.change(wanted),
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
