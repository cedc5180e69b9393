import type { Settings } from '../../internal-services.ts';
import type { Profile } from '../../plugin.ts';

/**
 * Whether the plugin is there that confirms an `--agent-id` which is not the key: the registry asset of the agent. Without it the
 * key file decides, before anything else is opened.
 */
export function confirmsAgentIds({ plugins }: Pick<Settings, 'plugins'>, profile: Profile): boolean {
  const registry: unknown = plugins?.['registry8004'];
  const isThere =
    typeof registry === 'object' && registry !== null && !('enabled' in registry && registry.enabled === false);
  return profile === 'node' && isThere;
}
