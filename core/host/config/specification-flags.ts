import type { Flag } from './flags.ts';

/**
 * Flags of the specification that belong to plugins. Each plugin declares its own; the row stands in for it where the plugin
 * is not there, so that who gives the flag is told what it is for. It is used by nothing else.
 */
const ROWS: readonly (Pick<Flag, 'name' | 'type'> & { readonly plugin: string })[] = [
  { name: 'launchpad-api-key', type: 'text', plugin: 'launchpad' },
  { name: 'launchpad-partner-wallet', type: 'text', plugin: 'launchpad' },
  { name: 'launchpad-partner-key', type: 'text', plugin: 'launchpad' },
  { name: 'hosting', type: 'switch', plugin: 'hosting' },
  { name: 'hosting-fee-bps', type: 'integer', plugin: 'hosting' },
  { name: 'skill-workspace', type: 'text', plugin: 'skills' },
  { name: 'registry-8004-disabled', type: 'off', plugin: 'registry8004' },
];

export const SPECIFICATION_FLAGS: readonly Flag[] = ROWS.map(({ name, type, plugin }) => ({
  ...{ name, type },
  key: `plugins.${plugin}`,
  absent: plugin,
  summary: `a flag of the plugin ${plugin}`,
}));
