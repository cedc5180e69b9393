import type { Identity } from '../protocol/identity/identity.ts';
import type { Settings } from '../services.ts';

/** The name the operator gave, or the first characters of the id. */
export function agentNameOf(settings: Settings, identity: Identity): string {
  return settings.agent.name ?? identity.address.slice(0, 8);
}
